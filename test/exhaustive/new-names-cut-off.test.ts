/** A cluster of version 0.1.0 gets its new tags, pool, roles, user and token; cut off at any call, the next run ends it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { execute } from '../../src/apply/executors.js';
import { guardedProxmox } from '../../src/apply/guard/guarded-clients.js';
import { interlock } from '../../src/apply/interlock.js';
import { SECRETS } from '../../src/clients/kubernetes/resources.js';
import { connectProxmox } from '../../src/clients/proxmox/client.js';
import { csiTokenIn } from '../../src/design/kubernetes/csi.js';
import { CliFolder } from '../support/cli.js';
import { type ClusterAccess, withClusterOf } from '../support/cluster.js';
import { ClusterSite } from '../support/cluster-site.js';
import { sweepPoints } from '../support/crash.js';
import { contextOf, cutting, untouched, type Wrap } from '../support/cutting.js';
import { makeAccessOld, makeObjectsOld, makeTagsOld } from '../support/legacy.js';
import { series } from '../support/shard.js';

const API = '10.20.30.41';
const CLUSTER = { name: 'solo', env: '' };
const OLD_DISK = 'vm-9999-pv-a';
const CONFIG = `
cluster: { name: solo, kubernetes: v1.36.0, scheduleOnControlPlanes: true }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:OXHERD_PROXMOX_TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
nodes:
  cp-1: { role: controlplane, host: pve1, ip: ${API}, vmid: 141, cores: 2, memory: 4GiB, disk: 6GiB }
volumes:
  pv-a: { type: proxmox-csi, size: 1GiB, host: pve1 }
`;

let site: ClusterSite;
beforeAll(async () => {
  site = await ClusterSite.open(CONFIG, CliFolder.make());
  expect(await site.run('apply', '--yes')).toMatchObject({ exit: 0, stderr: '' });
}, 180_000);
afterAll(() => site.remove());

/** As version 0.1.0 left it. */
async function makeOld({ hand, kubernetes }: ClusterAccess): Promise<void> {
  await makeTagsOld(hand, CLUSTER);
  const secret = await makeAccessOld(hand, CLUSTER);
  await makeObjectsOld(kubernetes, CLUSTER, { secret, volume: 'pv-a', disk: OLD_DISK });
  const volumes = (await hand.storageContent('pve1', 'local-zfs', { vmid: 9999 })).map(({ volid }) => volid);
  for (const volid of volumes.filter((one) => !one.endsWith(OLD_DISK)))
    await hand.runTask(() => hand.deleteVolume('pve1', volid));
  if (!volumes.some((volid) => volid.endsWith(OLD_DISK)))
    await hand.allocVolume('pve1', 'local-zfs', { vmid: 9999, filename: OLD_DISK, size: 1024 ** 3 });
}

/** Plans, and carries the steps out in their order; false: it was cut off. */
async function migrate(access: ClusterAccess, wrap: Wrap): Promise<boolean> {
  const { plan, design, kubernetes } = await site.prepare();
  expect(plan.problems).toEqual([]);
  expect(plan.steps.filter(({ impact }) => impact !== 'live' && impact !== 'none')).toEqual([]);
  const context = contextOf(access, { cluster: design.cluster, kubernetes }, wrap);
  const client = guardedProxmox(
    interlock(wrap(access.hand), { cluster: design.cluster, clock: access.lab.clock }),
  );
  try {
    for (const step of plan.steps) await execute(step, { ...context, client });
    return true;
  } catch (error) {
    if (wrap === untouched) throw error;
    return false;
  }
}

/** What is not as it should be in the end. */
async function wrongIn({ hand, kubernetes, lab }: ClusterAccess, before: string): Promise<string[]> {
  const secret = await kubernetes.get(SECRETS, 'proxmox-csi-plugin', 'csi-proxmox');
  const { tokenId, secret: text } = csiTokenIn(secret?.data ?? {});
  const driver = connectProxmox({
    endpoints: [lab.endpoint],
    token: `${tokenId}=${text}`,
    tls: { kind: 'fingerprint', sha256: lab.fingerprint },
    clock: lab.clock,
    random: () => 0.5,
  });
  const sees = await driver.storageContent('pve1', 'local-zfs').then(
    (volumes) => volumes.length > 0,
    () => false,
  );
  await driver.close();
  const names = [
    ...(await hand.vms()).flatMap((vm) => vm.tags),
    ...(await hand.pools()).map((pool) => pool.poolid),
    ...(await hand.users()).map((user) => user.userid),
    ...(await hand.roles()).map((role) => role.roleid),
  ];
  const old = names.filter((name) => /^(oxherd-solo|kubernetes-csi@pve|CSI(-Delete)?)$/.test(name));
  const left = (await site.prepare()).plan.steps.map((step) => step.id);
  return [
    ...(sees ? [] : ['the token of the driver does not work']),
    ...(old.length === 0 ? [] : [`old names are left: ${old.join(', ')}`]),
    ...left.map((id) => `a further plan has ${id}`),
    ...(volumesOf() === before ? [] : ['volumes have changed']),
  ];
}

function volumesOf(): string {
  const { volumes } = site.lab.proxmox.pve.db;
  return JSON.stringify([...volumes.entries()].map(([key, { size, data }]) => [key, size, data]).sort());
}

describe('the new names of a cluster with Kubernetes', () => {
  it('come whole, wherever the run was cut off before', async () => {
    await site.byHand((hand) =>
      withClusterOf(site.folder, API, { lab: site.lab, hand }, async (access) => {
        const { wrong, points, inAll } = await sweepPoints(
          'new names with Kubernetes',
          ['before', 'after'] as const,
          series({ exhaustive: 4 }),
          async (when, at) => {
            await makeOld(access);
            const before = volumesOf();
            const whole = await migrate(access, cutting(at + 1, when));
            // What was lost with the driver's secret is found by the plan after the first.
            if (!whole) await migrate(access, untouched);
            return { cut: !whole, problems: await wrongIn(access, before) };
          },
        );
        console.log(`new names with Kubernetes: cut off at ${points} points, ${wrong.length} wrong`);
        expect(wrong).toEqual([]);
        expect(inAll).toBeGreaterThan(60);
      }),
    );
  });
});
