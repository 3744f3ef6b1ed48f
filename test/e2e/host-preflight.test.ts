/** A host that cannot start a VM: said by plan, of that node only, and again before anything is stopped or unplugged. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import { workerOn } from '../support/move-scenarios.js';
import { configOf, VmSite } from '../support/vm-site.js';

const WORKER = '151';

let site: VmSite;
let client: ProxmoxConnection;
beforeEach(async () => {
  site = await VmSite.start(configOf(workerOn('pve2')));
  client = site.connect();
  expect((await site.apply(client)).result.outcome).toBe('done');
});
afterEach(async () => {
  await client.close();
  await site.stop();
});

const running = () => site.lab.proxmox.pve.db.vms.get(WORKER)?.running;
/** Of vmbr0 on the worker's host. */
function setMtu(mtu: number): void {
  site.lab.proxmox.pve.db.hosts.update('pve2', (host) => ({
    ...host,
    bridges: host.bridges.map((bridge) => ({ ...bridge, mtu })),
  }));
}

describe.each([
  ['more vCPUs than the host has CPUs', ', cores: 17', 'host-cpus'],
  ['an MTU above that of the bridge', ', mtu: 9000', 'bridge-mtu'],
  ['a bridge that is not there', ', bridge: vmbr7', 'bridge-unknown'],
])('%s', (_what, option, code) => {
  it('is a problem of this node, and the other node is changed', async () => {
    const before = running();
    site.use(
      workerOn('pve2')
        .replace(/(work: \{ role: worker,)/, `$1${option.slice(1)},`)
        .replace('role: controlplane,', 'role: controlplane, tags: [changed],'),
    );
    const plan = await site.plan(client);
    expect(plan.problems.map((problem) => [problem.code, problem.scope, problem.node])).toEqual([
      [code, 'node', 'work-1'],
    ]);
    expect(plan.steps.map(({ node }) => node)).not.toContain('work-1');
    expect((await site.apply(client)).result.outcome).toBe('done');
    expect(running()).toEqual(before);
    expect(site.lab.proxmox.pve.db.vms.get('141')?.config.tags).toContain('changed');
  });
});

it('a bridge that has lost its MTU since the plan keeps the NIC plugged', async () => {
  setMtu(9000);
  site.use(workerOn('pve2').replace(/(work: \{ role: worker,)/, '$1 mtu: 9000,'));
  const plan = await site.plan(client);
  expect(plan.problems).toEqual([]);
  setMtu(1500);
  const net0 = running()?.config.net0;
  const { result, events } = await site.apply(client, { plan });
  expect(result.outcome).not.toBe('done');
  expect(JSON.stringify(events)).toContain('vmbr0 on pve2 has 1500');
  expect(running()?.config.net0).toBe(net0);
});
