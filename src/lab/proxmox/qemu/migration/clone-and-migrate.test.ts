import { describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../../test/support/lab/proxmox/test-bench.js';
import { recordings } from '../../../profiles/recordings.js';
import type { LabWorld } from '../../../world.js';
import { checkVolumes } from '../../check-volumes.js';
import { findVolume, writeVolume } from '../../volumes.js';

const QEMU = '/nodes/pve1/qemu';

const TWO_HOSTS: LabWorld = {
  ...recordings,
  hosts: [{ name: 'pve1' }, { name: 'pve2' }],
  storages: [
    ...recordings.storages,
    {
      id: 'nas',
      type: 'nfs',
      path: '/mnt/pve/nas',
      content: ['images'],
      shared: true,
      nodes: [],
      total: 2 ** 40,
    },
  ],
};

const config = async (bench: Bench, vmid: number, node = 'pve1') =>
  (await bench.send('GET', `/nodes/${node}/qemu/${vmid}/config`)).data as Record<string, unknown>;

describe('templates and clones', () => {
  it.each([
    ['local-zfs', 'base-100-disk-0', 'base-100-disk-0/vm-101-disk-0'],
    ['vmdata', '100/base-100-disk-0.raw', '100/base-100-disk-0.raw/101/vm-101-disk-0.qcow2'],
  ])('on %s: the disk becomes a base, clones name it', async (storage, base, clone) => {
    const bench = openBench(recordings);
    await bench.run('POST', QEMU, {
      vmid: 100,
      name: 't',
      scsi0: `${storage}:1`,
      net0: 'virtio,bridge=vmbr0',
    });
    const made = await config(bench, 100);
    expect(await bench.run('POST', `${QEMU}/100/template`)).toBe('OK');
    expect(await bench.run('POST', `${QEMU}/100/status/start`)).toBe(
      "you can't start a vm if it's a template",
    );
    expect(await bench.run('POST', `${QEMU}/100/clone`, { newid: 101 })).toBe('OK');
    expect(await config(bench, 100)).toMatchObject({ template: 1, scsi0: `${storage}:${base},size=1G` });
    const copy = await config(bench, 101);
    expect(copy).toMatchObject({ name: 'Copy-of-VM-t', scsi0: `${storage}:${clone},size=1G` });
    for (const key of ['net0', 'smbios1', 'vmgenid']) expect(copy[key]).not.toBe(made[key]);
    expect(await bench.run('DELETE', `${QEMU}/100`)).toBe(
      `base volume '${storage}:${base}' is still in use by linked cloned`,
    );
    expect(await bench.run('DELETE', `${QEMU}/101`)).toBe('OK');
    expect(await bench.run('DELETE', `${QEMU}/100`)).toBe('OK');
    expect(checkVolumes(bench.pve.db)).toEqual({ problems: [], dangling: [], loose: [] });
  });

  it('a linked clone of a plain VM is refused, and so is an id that is taken', async () => {
    const bench = openBench(recordings);
    await bench.run('POST', QEMU, { vmid: 100, scsi0: 'local-zfs:1' });
    expect(await bench.run('POST', `${QEMU}/100/clone`, { newid: 101, full: 0 })).toBe(
      "500 Linked clone feature is not supported for 'local-zfs:vm-100-disk-0' (scsi0)",
    );
    expect(await bench.run('POST', `${QEMU}/100/clone`, { newid: 100 })).toBe(
      '500 unable to create VM 100: config file already exists',
    );
  });

  it('a clone that fails leaves nothing', async () => {
    const bench = openBench(recordings);
    await bench.run('POST', QEMU, { vmid: 100, scsi0: 'local-zfs:1', scsi1: 'local-zfs:1' });
    bench.pve.core.faults.set({ name: 'storage-full', subject: 'vmdata', countdown: 1 });
    expect(await bench.run('POST', `${QEMU}/100/clone`, { newid: 101, storage: 'vmdata' })).toMatch(
      /^clone failed: unable to create image/,
    );
    expect(bench.pve.db.vms.has('101')).toBe(false);
    expect(checkVolumes(bench.pve.db).loose).toEqual([]);
  });
});

describe('migration', () => {
  it('takes local disks along, with their data, and what is unused', async () => {
    const bench = openBench(TWO_HOSTS);
    await bench.run('POST', QEMU, { vmid: 100, scsi0: 'local-zfs:1', scsi1: 'local-zfs:1' });
    await bench.run('PUT', `${QEMU}/100/config`, { delete: 'scsi1' });
    writeVolume(bench.pve, 'pve1', 'local-zfs:vm-100-disk-0', { data: { n: 7 } });
    expect(await bench.run('POST', `${QEMU}/100/migrate`, { target: 'pve2' })).toBe('OK');
    expect(await config(bench, 100, 'pve2')).toMatchObject({
      scsi0: 'local-zfs:vm-100-disk-0,size=1G',
      unused0: 'local-zfs:vm-100-disk-1',
    });
    expect(findVolume(bench.pve.db, 'pve2', 'local-zfs:vm-100-disk-0')?.data).toMatchObject({
      data: { n: 7 },
    });
    expect(findVolume(bench.pve.db, 'pve1', 'local-zfs:vm-100-disk-0')).toBeUndefined();
    expect((await bench.send('GET', `${QEMU}/100/config`)).data).toBe(
      "Configuration file 'nodes/pve1/qemu-server/100.conf' does not exist",
    );
  });

  it('is refused for disks of another VM, and the VM stays as it was', async () => {
    const bench = openBench(TWO_HOSTS);
    await bench.run('POST', QEMU, { vmid: 100, scsi0: 'local-zfs:1' });
    await bench.run('POST', QEMU, { vmid: 101, scsi0: 'local-zfs:1', scsi1: 'local-zfs:vm-100-disk-0' });
    const before = await config(bench, 101);
    const { data: upid } = await bench.send('POST', `${QEMU}/101/migrate`, { target: 'pve2' });
    expect((await bench.send('PUT', `${QEMU}/101/config`, { cores: 2 })).data).toBe('VM is locked (migrate)');
    await bench.wait(10_000);
    const task = bench.pve.db.tasks.get(String(upid));
    expect(task?.exitstatus).toBe('migration aborted');
    expect(task?.log.join('\n')).toContain(
      "can't migrate local disk 'local-zfs:vm-100-disk-0': owned by other VM (owner = VM 100)",
    );
    expect(await config(bench, 101)).toEqual(before);
  });

  it('of a running VM needs shared storage, or the word that local disks may go', async () => {
    const bench = openBench(TWO_HOSTS);
    await bench.run('POST', QEMU, { vmid: 100, scsi0: 'nas:1' });
    await bench.run('POST', QEMU, { vmid: 101, scsi0: 'local-zfs:1' });
    for (const vmid of [100, 101]) await bench.run('POST', `${QEMU}/${vmid}/status/start`);
    const go = (vmid: number, params = {}) =>
      bench.run('POST', `${QEMU}/${vmid}/migrate`, { target: 'pve2', ...params });
    expect(await go(100)).toBe("500 can't migrate running VM without --online");
    expect(await go(100, { online: 1 })).toBe('OK');
    expect(await go(101, { online: 1 })).toBe('migration aborted');
    expect(await go(101, { online: 1, 'with-local-disks': 1 })).toBe('OK');
    const { data } = await bench.send('GET', '/nodes/pve2/qemu');
    expect(data).toMatchObject([{ status: 'running' }, { status: 'running' }]);
    expect(checkVolumes(bench.pve.db)).toEqual({ problems: [], dangling: [], loose: [] });
  });

  it('to itself or to nowhere is refused at once', async () => {
    const bench = openBench(TWO_HOSTS);
    await bench.run('POST', QEMU, { vmid: 100 });
    const to = async (target: string) => await bench.send('POST', `${QEMU}/100/migrate`, { target });
    expect((await to('pve1')).errors).toEqual({ target: 'target is local node.' });
    expect((await to('pve9')).data).toBe("no such cluster node 'pve9'");
  });
});
