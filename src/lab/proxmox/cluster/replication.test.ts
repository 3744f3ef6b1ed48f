import { beforeEach, describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { findProfile } from '../../profiles/profiles.js';

const world = findProfile('empty')?.world(['pve1', 'pve2', 'pve3']) ?? { hosts: [], storages: [] };
const JOB = { id: '100-0', type: 'local', target: 'pve2' };

let bench: Bench;
const jobs = async () => (await bench.send('GET', '/cluster/replication')).data;
const refused = async (...request: Parameters<Bench['send']>) => {
  const { status, data } = await bench.send(...request);
  expect(status).toBe(500);
  return data;
};

beforeEach(async () => {
  bench = openBench(world);
  await bench.run('POST', '/nodes/pve1/qemu', { vmid: 100, memory: 512, scsi0: 'local-zfs:1' });
});

describe('replication jobs', () => {
  it('are made, listed, changed and taken away within a minute', async () => {
    expect(await jobs()).toEqual([]);
    await bench.send('POST', '/cluster/replication', { ...JOB, comment: 'nightly' });
    expect(await jobs()).toMatchObject([
      { id: '100-0', guest: 100, jobnum: 0, target: 'pve2', source: 'pve1', comment: 'nightly' },
    ]);
    await bench.send('PUT', '/cluster/replication/100-0', { delete: 'comment', rate: 10 });
    expect((await bench.send('GET', '/cluster/replication/100-0')).data).toMatchObject({ rate: 10 });
    await bench.send('DELETE', '/cluster/replication/100-0');
    expect(await jobs()).toMatchObject([{ remove_job: 'full' }]);
    await bench.wait(61_000);
    expect(await jobs()).toEqual([]);
  });

  it('are for a VM that is there and a host that it is not on', async () => {
    expect(await refused('POST', '/cluster/replication', { ...JOB, id: '101-0' })).toContain('101');
    expect(await refused('POST', '/cluster/replication', { ...JOB, target: 'pve1' })).toContain(
      'must not be identical',
    );
    expect(await refused('POST', '/cluster/replication', { ...JOB, target: 'pve9' })).toContain('pve9');
    await bench.send('POST', '/cluster/replication', JOB);
    expect(await refused('POST', '/cluster/replication', JOB)).toContain('already exists');
  });

  it('are told of by the host of their VM, as jobs that have not run yet', async () => {
    await bench.send('POST', '/cluster/replication', { ...JOB, schedule: '*/5' });
    const told = async (path: string) => (await bench.send('GET', `/nodes/${path}`)).data;
    const status = { id: '100-0', vmtype: 'qemu', last_sync: 0, fail_count: 0, next_sync: 300 };
    expect(await told('pve1/replication')).toMatchObject([status]);
    expect(await told('pve1/replication/100-0/status')).toMatchObject(status);
    expect(await told('pve1/replication/100-0/log')).toMatchObject([{ n: 1 }]);
    expect(await told('pve2/replication')).toEqual([]);
    expect(await refused('GET', '/nodes/pve2/replication/100-0/status')).toContain('no such replication job');
    expect(await bench.send('POST', '/nodes/pve1/replication/100-0/schedule_now')).toMatchObject({
      status: 200,
      data: null,
    });
    await bench.send('DELETE', '/cluster/replication/100-0');
    expect(await told('pve1/replication')).toMatchObject([{ next_sync: 1 }]);
  });

  it('keep their VM from being destroyed and from moving elsewhere while it runs', async () => {
    await bench.send('POST', '/cluster/replication', JOB);
    expect(await refused('DELETE', '/nodes/pve1/qemu/100')).toContain("replication job '100-0'");
    await bench.run('POST', '/nodes/pve1/qemu/100/status/start');
    const migrate = { target: 'pve3', online: 1 };
    expect(await refused('POST', '/nodes/pve1/qemu/100/migrate', migrate)).toContain(
      'not a replication target',
    );
    await bench.run('POST', '/nodes/pve1/qemu/100/status/stop');
    expect(await bench.run('DELETE', '/nodes/pve1/qemu/100', { purge: 1 })).toBe('OK');
    expect(await jobs()).toEqual([]);
  });
});

describe('containers', () => {
  it('can be read, and their ids are taken', async () => {
    bench.pve.db.containers.put('101', {
      vmid: 101,
      host: 'pve2',
      running: true,
      config: { hostname: 'web', rootfs: 'local-zfs:subvol-101-disk-0', parent: 'old' },
      pending: { mp0: 'local-zfs:subvol-101-disk-1,mp=/a' },
      snapshots: { old: { hostname: 'before' } },
    });
    const get = async (what: string, params = {}) =>
      (await bench.send('GET', `/nodes/pve2/lxc/101/${what}`, params)).data;
    expect(await get('config')).toMatchObject({ hostname: 'web', mp0: expect.anything() });
    expect(await get('config', { snapshot: 'old' })).toMatchObject({ hostname: 'before' });
    expect(await get('pending')).toContainEqual({ key: 'mp0', pending: expect.anything() });
    expect(await get('snapshot')).toMatchObject([{ name: 'old' }, { name: 'current' }]);
    expect(await get('status/current')).toMatchObject({ status: 'running', type: 'lxc' });
    expect(await refused('GET', '/nodes/pve1/lxc/101/config')).toContain('does not exist');
    const { data } = await bench.send('GET', '/cluster/resources', { type: 'vm' });
    expect(data).toContainEqual(expect.objectContaining({ id: 'lxc/101', name: 'web', node: 'pve2' }));
    expect((await bench.send('GET', '/cluster/nextid')).data).toBe('102');
    expect(await refused('POST', '/nodes/pve1/qemu', { vmid: 101 })).toContain('CT 101 already exists');
  });
});
