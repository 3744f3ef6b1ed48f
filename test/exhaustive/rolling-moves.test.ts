/** Nodes of a running cluster that go to another host, under the watcher. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { diskDrives } from '../../src/formats/proxmox/vm-config.js';
import type { ClusterSite } from '../support/cluster-site.js';
import { changes, RunningHerd } from '../support/rolling.js';
import { onSharedStorage } from '../support/shared-world.js';
import { kubernetesOf } from '../support/watcher.js';

const HOOK_MS = 300_000;

const moved = (text: string, node: string, host: string) =>
  text.replace(new RegExp(`(${node}: \\{ role: \\w+, host: )\\w+`), `$1${host}`);
const hostOf = (site: ClusterSite, vmid: number) => site.lab.proxmox.pve.db.vms.get(String(vmid))?.host;
const slotsOf = (site: ClusterSite, vmid: number) =>
  diskDrives(site.lab.proxmox.pve.db.vms.get(String(vmid))?.config ?? {}).map(({ slot, wwn }) => [slot, wwn]);
const zoneOf = (site: ClusterSite, node: string) =>
  kubernetesOf(site.room)
    ?.list('nodes')
    .find((one) => one.metadata.name === node)?.metadata.labels?.['topology.kubernetes.io/zone'];

describe('with disks on local storage', () => {
  let herd: RunningHerd;
  beforeAll(async () => {
    herd = await RunningHerd.build({ workers: 3 });
  }, HOOK_MS);
  afterEach(() => herd.removeCopies());
  afterAll(() => herd.remove());

  it('a worker is stopped, moves with its data VM, and has its disks on their slots again', async () => {
    const site = await herd.copy();
    const before = slotsOf(site, 151);
    const report = await changes(site, moved(herd.with({}), 'work-1', 'pve3'));
    expect(report.went).toEqual([151]);
    expect([hostOf(site, 151), hostOf(site, 1510)]).toEqual(['pve3', 'pve3']);
    expect(slotsOf(site, 151)).toEqual(before);
    expect(zoneOf(site, 'work-1')).toBe('pve3');
  });

  it('a control plane comes back as the member it was', async () => {
    const site = await herd.copy();
    const before = site.etcd[0]?.members;
    const report = await changes(site, moved(herd.with({}), 'cp-2', 'pve1'));
    expect(report.went).toEqual([142]);
    expect(site.etcd[0]?.members).toEqual(before);
    expect([hostOf(site, 142), hostOf(site, 1420)]).toEqual(['pve1', 'pve1']);
  });

  it('a move and more memory for all are one apply', async () => {
    const { site, report } = await herd.rolls(moved(herd.with({ memory: '6GiB' }), 'work-1', 'pve3'));
    expect([...report.went].sort()).toEqual([141, 142, 143, 151, 152, 153]);
    expect(hostOf(site, 151)).toBe('pve3');
    expect(site.lab.proxmox.pve.db.vms.get('151')?.running?.config.memory).toBe('6144');
  });
});

describe('with disks on shared storage', () => {
  let herd: RunningHerd;
  beforeAll(async () => {
    herd = await RunningHerd.build({ workers: 1 }, onSharedStorage);
  }, HOOK_MS);
  afterEach(() => herd.removeCopies());
  afterAll(() => herd.remove());

  it('nodes go on running, and no one notices', async () => {
    const text = moved(moved(herd.with({}), 'work-1', 'pve3'), 'cp-1', 'pve2');
    const { site, report } = await herd.rolls(text, { handOverSeconds: 0, restartSeconds: 0 });
    expect(report.went).toEqual([]);
    for (const vmid of [151, 1510]) expect(hostOf(site, vmid)).toBe('pve3');
    for (const vmid of [141, 1410]) expect(hostOf(site, vmid)).toBe('pve2');
    expect(zoneOf(site, 'cp-1')).toBe('pve2');
  });

  it('a VM that someone moved is followed, and its data VM after it', async () => {
    const site = await herd.copy();
    await site.byHand(async (hand) => {
      await hand.runTask(() => hand.migrateVm('pve1', 151, { target: 'pve2', online: true }));
    });
    const report = await changes(site, herd.with({}));
    expect(report.went).toEqual([]);
    for (const vmid of [151, 1510]) expect(hostOf(site, vmid)).toBe('pve2');
    expect(zoneOf(site, 'work-1')).toBe('pve2');
    const { stdout } = await site.run('plan');
    expect(stdout).toContain(
      'work-1 runs on pve2 and stays there; oxherd.yaml says pve1. Set host: pve2 to accept',
    );
  });
});
