import { describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { recordingsMore } from '../../profiles/recordings.js';
import type { LabWorld, WorldHost } from '../../world.js';

const NAS = {
  id: 'nas',
  type: 'nfs',
  path: '/mnt/pve/nas',
  content: ['images'],
  shared: true,
  nodes: [],
  total: 2 ** 40,
} as const;
const HOSTS: WorldHost[] = ['pve1', 'pve2', 'pve3'].map((name) => ({ name }));
const WORLD: LabWorld = {
  ...recordingsMore,
  hosts: HOSTS,
  storages: [...recordingsMore.storages, { ...NAS, content: [...NAS.content], nodes: [] }],
  volumes: [],
};

async function managed(...vmids: number[]): Promise<Bench> {
  const bench = openBench(WORLD);
  for (const vmid of vmids) {
    expect(await bench.run('POST', '/nodes/pve2/qemu', { vmid, scsi0: 'nas:1' })).toBe('OK');
    await bench.send('POST', '/cluster/ha/resources', { sid: `vm:${vmid}` });
  }
  await bench.wait(40_000);
  return bench;
}

const placeOf = (bench: Bench, vmid: number) => {
  const vm = bench.pve.db.vms.get(String(vmid));
  return `${vm?.host} ${vm?.running ? 'running' : 'stopped'}`;
};
const stateOf = (bench: Bench, vmid: number) => bench.pve.db.haServices.get(`vm:${vmid}`)?.state;
const fault = (
  bench: Bench,
  name: 'host-down' | 'partition' | 'ha-maintenance' | 'task-fails',
  subject: string,
) => bench.pve.core.faults.set({ name, subject, countdown: null });

describe('the HA manager', () => {
  it('starts what is to run, and again what has ended by itself', async () => {
    const bench = await managed(100);
    expect([placeOf(bench, 100), stateOf(bench, 100)]).toEqual(['pve2 running', 'started']);
    await bench.pve.tasks.start(
      { user: 'root@pam' },
      { node: 'pve2', type: 'qmstop', id: '100', args: { host: 'pve2', vmid: 100 }, duration: 1 },
    );
    await bench.wait(3_000);
    expect(placeOf(bench, 100)).toBe('pve2 stopped');
    await bench.wait(30_000);
    expect(placeOf(bench, 100)).toBe('pve2 running');
  });

  it('fences a silent host after a minute and has its VMs elsewhere after two', async () => {
    const bench = await managed(100);
    fault(bench, 'host-down', 'pve2');
    expect(placeOf(bench, 100)).toBe('pve2 stopped');
    await bench.wait(80_000);
    expect([placeOf(bench, 100), stateOf(bench, 100)]).toEqual(['pve2 stopped', 'fence']);
    await bench.wait(100_000);
    expect(placeOf(bench, 100)).toMatch(/^pve[13] running$/);
  });

  it('takes a fenced host for unknown, as it did before it fenced it; services without a target stay in recovery', async () => {
    const bench = await managed(100);
    const rule = { rule: 'home', type: 'node-affinity', resources: 'vm:100', nodes: 'pve2', strict: '1' };
    expect((await bench.send('POST', '/cluster/ha/rules', rule)).status).toBe(200);
    const seen = async () => {
      const { manager_status: manager } = (await bench.send('GET', '/cluster/ha/status/manager_status'))
        .data as { manager_status: { node_status: Record<string, string> } };
      return [manager.node_status.pve2, stateOf(bench, 100)];
    };
    fault(bench, 'host-down', 'pve2');
    await bench.wait(30_000);
    expect(await seen()).toEqual(['unknown', 'started']);
    await bench.wait(50_000);
    expect(await seen()).toEqual(['fence', 'fence']);
    await bench.wait(60_000);
    expect(await seen()).toEqual(['unknown', 'recovery']);
  });

  it('never fences a host without services, and one that is cut off is reset with its VMs', async () => {
    const bench = await managed(100);
    fault(bench, 'partition', 'pve2');
    await bench.wait(60_000);
    expect(placeOf(bench, 100)).toBe('pve2 running');
    await bench.wait(120_000);
    expect(placeOf(bench, 100)).toMatch(/^pve[13] running$/);
    fault(bench, 'host-down', placeOf(bench, 100).startsWith('pve1') ? 'pve3' : 'pve1');
    await bench.wait(200_000);
    expect(
      Object.values(bench.pve.db.haManager.get('manager')?.nodes ?? {}).map(({ state }) => state),
    ).not.toContain('fence');
  });

  it('empties a host in maintenance without stopping anything', async () => {
    const bench = await managed(100);
    const since = bench.pve.db.vms.get('100')?.running?.since;
    fault(bench, 'ha-maintenance', 'pve2');
    await bench.wait(60_000);
    expect(placeOf(bench, 100)).toMatch(/^pve[13] running$/);
    expect(bench.pve.db.vms.get('100')?.running?.since).toBe(since);
  });

  it('keeps apart what a rule keeps apart, and together what belongs together', async () => {
    const bench = await managed(100, 101, 102);
    const rule = (name: string, affinity: string, resources: string) =>
      bench.send('POST', '/cluster/ha/rules', { rule: name, type: 'resource-affinity', affinity, resources });
    expect((await rule('apart', 'negative', 'vm:100,vm:101')).status).toBe(200);
    expect((await rule('pair', 'positive', 'vm:101,vm:102')).status).toBe(200);
    await bench.wait(120_000);
    const [a, b, c] = [100, 101, 102].map((vmid) => placeOf(bench, vmid));
    expect(a).not.toBe(b);
    expect(b).toBe(c);
  });

  it('tries a start again, then on another host, and gives up in the end', async () => {
    const bench = await managed(100);
    await bench.send('PUT', '/cluster/ha/resources/vm:100', { state: 'stopped' });
    await bench.wait(120_000);
    fault(bench, 'task-fails', 'qmstart:100');
    await bench.send('PUT', '/cluster/ha/resources/vm:100', { state: 'started' });
    await bench.wait(200_000);
    expect(stateOf(bench, 100)).toBe('error');
    expect((await bench.send('PUT', '/cluster/ha/resources/vm:100', { comment: 'x' })).data).toBe(
      "service 'vm:100' in error state, must be disabled and fixed first",
    );
  });
});
