import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { findProfile } from '../../profiles/profiles.js';
import { worldFor } from '../../world.js';
import { BROADCAST_INTERVAL } from './broadcast.js';

const world = findProfile('empty')?.world(['pve1', 'pve2', 'pve3']) ?? { hosts: [], storages: [] };

let bench: Bench;
const data = async (method: string, path: string, params?: Record<string, string | number>) => {
  const reply = await bench.send(method, path, params);
  expect(reply, `${method} ${path}`).toMatchObject({ status: 200 });
  return reply.data;
};
const down = (host: string) =>
  bench.pve.core.faults.set({ name: 'host-down', subject: host, countdown: null });

beforeEach(() => {
  bench = openBench(world);
});

describe('the cluster', () => {
  it('has quorum while more than half of its hosts are up', async () => {
    down('pve3');
    await data('POST', '/pools', { poolid: 'one' });
    down('pve2');
    const before = bench.pve.core.clock.now();
    expect(await bench.send('POST', '/pools', { poolid: 'two' })).toMatchObject({ status: 500 });
    expect(bench.pve.core.clock.now() - before).toBe(10_000);
    expect(await data('GET', '/cluster/status')).toContainEqual(expect.objectContaining({ quorate: 0 }));
  });

  it('gives the next free id, within the range that is set', async () => {
    expect(await data('GET', '/cluster/nextid')).toBe('100');
    await bench.run('POST', '/nodes/pve2/qemu', { vmid: 100 });
    expect(await data('GET', '/cluster/nextid')).toBe('101');
    await data('PUT', '/cluster/options', { 'next-id': 'lower=500,upper=600' });
    expect(await data('GET', '/cluster/nextid')).toBe('500');
    await data('PUT', '/cluster/options', { delete: 'next-id' });
    expect(await data('GET', '/cluster/nextid')).toBe('101');
  });

  it('hears of a VM with the next broadcast, and of its tags at once', async () => {
    expect(await data('GET', '/cluster/resources', { type: 'vm' })).toEqual([]);
    await bench.send('POST', '/nodes/pve1/qemu', {
      vmid: 100,
      name: 'cp1',
      tags: 'talos',
      memory: 1024,
      cores: 2,
    });
    await bench.wait(5_000);
    const [fresh] = (await data('GET', '/cluster/resources', { type: 'vm' })) as Record<string, unknown>[];
    expect(fresh).toMatchObject({ id: 'qemu/100', node: 'pve1', status: 'unknown', tags: 'talos' });
    expect(fresh).not.toHaveProperty('name');
    await bench.wait(BROADCAST_INTERVAL);
    expect(await data('GET', '/cluster/resources', { type: 'vm' })).toMatchObject([
      { name: 'cp1', status: 'stopped', maxmem: 1024 ** 3, maxcpu: 2 },
    ]);
    down('pve1');
    await bench.wait(BROADCAST_INTERVAL);
    // What the dead host said last is what the others know.
    expect(await data('GET', '/cluster/resources', { type: 'vm' })).toMatchObject([{ status: 'stopped' }]);
  });

  it('lists what one may see', async () => {
    await data('POST', '/access/users', { userid: 'a@pve' });
    const seen = await bench.send('GET', '/cluster/resources', {}, 'a@pve');
    expect(seen.data).toHaveLength(3);
    expect(seen.data).toMatchObject([{ type: 'node' }, { type: 'node' }, { type: 'node' }]);
    expect((seen.data as object[])[0]).not.toHaveProperty('maxmem');
  });

  it('keeps what HA looks after', async () => {
    expect(await bench.send('POST', '/cluster/ha/resources', { sid: 'vm:100' })).toMatchObject({
      status: 500,
      data: "resource 'vm:100' does not exist in cluster",
    });
    await bench.run('POST', '/nodes/pve1/qemu', { vmid: 100 });
    await data('POST', '/cluster/ha/resources', { sid: '100' });
    await data('PUT', '/cluster/ha/resources/vm:100', { state: 'stopped' });
    expect(await data('GET', '/cluster/ha/resources/100')).toMatchObject({ sid: 'vm:100', state: 'stopped' });
    await data('DELETE', '/cluster/ha/resources/vm:100');
    expect(await data('GET', '/cluster/ha/resources')).toEqual([]);
  });

  it('knows whether a mapping fits the hardware', async () => {
    bench = openBench(
      worldFor({
        hosts: ['pve1'],
        storages: [],
        bridges: [],
        pciMappings: ['gpu'],
        cpuModels: ['custom-lab'],
      }),
    );
    expect(await data('GET', '/cluster/mapping/pci', { 'check-node': 'pve1' })).toMatchObject([
      { id: 'gpu', checks: [] },
    ]);
    await data('PUT', '/cluster/mapping/pci/gpu', {
      map: 'node=pve1,path=0000:01:00.0,id=10de:9999,iommugroup=10',
    });
    expect(await data('GET', '/cluster/mapping/pci', { 'check-node': 'pve1' })).toMatchObject([
      {
        checks: [
          { message: "Invalid configuration: 'id' does not match for 'gpu' (10de:1234 != 10de:9999)\n" },
        ],
      },
    ]);
    expect(await bench.run('POST', '/nodes/pve1/qemu', { vmid: 100, cpu: 'custom-lab' })).toBe('OK');
  });
});

describe('CPU models of the cluster', () => {
  it('are made, changed and deleted', async () => {
    const models = '/cluster/qemu/custom-cpu-models';
    const model = async () => data('GET', `${models}/custom-big`);
    await data('POST', models, { cputype: 'big', 'reported-model': 'EPYC', hidden: 1 });
    await data('PUT', `${models}/custom-big`, { flags: '+aes', delete: 'hidden' });
    expect(await model()).toMatchObject({ cputype: 'custom-big', 'reported-model': 'EPYC', flags: '+aes' });
    expect(await model()).not.toHaveProperty('hidden');
    const refused = async (...request: Parameters<Bench['send']>) => (await bench.send(...request)).data;
    expect(await refused('PUT', `${models}/big`, { delete: 'reported-model' })).toContain('cannot delete');
    expect(await refused('PUT', `${models}/big`, { level: 30, digest: 'a' })).toContain('modified');
    expect(await refused('PUT', `${models}/other`, { level: 30 })).toContain("'other' does not exist");
    await data('DELETE', `${models}/big`);
    expect(await refused('DELETE', `${models}/big`)).toContain("'big' does not exist");
  });
});

describe('the world that a config names', () => {
  it('has its storages, bridges and mappings on every host, once', () => {
    const made = worldFor({
      hosts: ['a', 'b'],
      storages: [
        { id: 'tank', content: ['images'] },
        { id: 'local', type: 'dir', content: ['import'] },
      ],
      bridges: [{ iface: 'vmbr1' }],
      pciMappings: ['gpu'],
      cpuModels: [],
    });
    expect(made.storages.map(({ id, type, content }) => [id, type, content.includes('import')])).toEqual([
      ['local', 'dir', true],
      ['local-zfs', 'zfspool', false],
      ['tank', 'zfspool', false],
    ]);
    expect(made.hosts.map((host) => host.bridges?.map((bridge) => bridge.iface))).toEqual([
      ['vmbr0', 'vmbr1'],
      ['vmbr0', 'vmbr1'],
    ]);
    expect(made.pciMappings?.[0]?.map).toHaveLength(2);
  });
});
