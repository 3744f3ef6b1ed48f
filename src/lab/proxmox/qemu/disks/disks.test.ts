import { describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../../test/support/lab/proxmox/test-bench.js';
import { recordings } from '../../../profiles/recordings.js';
import { checkVolumes } from '../../check-volumes.js';
import { findVolume, writeVolume } from '../../volumes.js';

const QEMU = '/nodes/pve1/qemu';

async function config(bench: Bench, vmid: number): Promise<Record<string, unknown>> {
  const { data } = await bench.send('GET', `${QEMU}/${vmid}/config`);
  return data as Record<string, unknown>;
}

async function benchWith(...vms: Record<string, string | number>[]): Promise<Bench> {
  const bench = openBench(recordings);
  for (const vm of vms) expect(await bench.run('POST', QEMU, vm)).toBe('OK');
  return bench;
}

const volumesOf = async (bench: Bench, storage: string, vmid: number) => {
  const { data } = await bench.send('GET', `/nodes/pve1/storage/${storage}/content`, { vmid });
  return (data as { volid: string }[]).map(({ volid }) => volid);
};

describe('disks of a VM', () => {
  it('are not made on storages that hold what others make', async () => {
    const bench = await benchWith();
    const there = { portal: '192.0.2.1', target: 'iqn.2026-01.lab:a', content: 'images' };
    await bench.send('POST', '/storage', { storage: 'san', type: 'iscsi', ...there });
    const pbs = { server: '192.0.2.1', datastore: 'a', username: 'a@pbs', password: 'secret' };
    await bench.send('POST', '/storage', { storage: 'pbs', type: 'pbs', ...pbs });
    const disk = { vmid: 100, filename: 'vm-100-disk-0', size: '1G' };
    for (const [storage, type] of Object.entries({ san: 'iscsi', pbs: 'pbs' })) {
      const path = `/nodes/pve1/storage/${storage}/content`;
      expect((await bench.send('POST', path, disk)).data).toBe(`can't allocate space in ${type} storage`);
      expect((await bench.send('GET', path)).data).toEqual([]);
    }
  });

  it('are made in alphabetical order of their slots; EFI and TPM disks have sizes of their own', async () => {
    const bench = await benchWith({
      vmid: 100,
      virtio0: 'vmdata:1',
      scsi1: 'vmdata:1',
      scsi0: 'vmdata:1',
      efidisk0: 'vmdata:7,efitype=4m,pre-enrolled-keys=1',
      tpmstate0: 'vmdata:7,version=v2.0',
    });
    expect(await config(bench, 100)).toMatchObject({
      efidisk0: 'vmdata:100/vm-100-disk-0.raw,efitype=4m,ms-cert=2023k,pre-enrolled-keys=1,size=528K',
      scsi0: 'vmdata:100/vm-100-disk-1.raw,size=1G',
      scsi1: 'vmdata:100/vm-100-disk-2.raw,size=1G',
      tpmstate0: 'vmdata:100/vm-100-disk-3.raw,size=4M,version=v2.0',
      virtio0: 'vmdata:100/vm-100-disk-4.raw,size=1G',
    });
  });

  it('are allocated again each time storage:size is sent to a taken slot', async () => {
    const bench = await benchWith({ vmid: 100, scsi0: 'local-zfs:1,serial=a' });
    for (const _ of [1, 2]) await bench.run('PUT', `${QEMU}/100/config`, { scsi0: 'local-zfs:1' });
    expect(await config(bench, 100)).toMatchObject({
      scsi0: 'local-zfs:vm-100-disk-2,size=1G',
      unused0: 'local-zfs:vm-100-disk-0',
      unused1: 'local-zfs:vm-100-disk-1',
    });
    await bench.run('PUT', `${QEMU}/100/config`, { delete: 'unused0' });
    await bench.run('PUT', `${QEMU}/100/config`, { scsi1: 'local-zfs:1' });
    expect(await config(bench, 100)).toMatchObject({ scsi1: 'local-zfs:vm-100-disk-0,size=1G' });
  });

  it('take their size from the volume, not from what the caller says', async () => {
    const bench = await benchWith({ vmid: 100 });
    await bench.send('POST', '/nodes/pve1/storage/local-zfs/content', {
      vmid: 9999,
      filename: 'vm-9999-data',
      size: '3G',
    });
    const line = 'local-zfs:vm-9999-data,format=raw,size=7G,backup=no,ssd=1';
    expect(await bench.run('PUT', `${QEMU}/100/config`, { scsi1: line })).toBe('done');
    expect(await config(bench, 100)).toMatchObject({
      scsi1: 'local-zfs:vm-9999-data,backup=0,format=raw,size=3G,ssd=1',
    });
  });

  it('that belong to another VM leave the config without a trace, and stay', async () => {
    const bench = await benchWith({ vmid: 100, scsi0: 'local-zfs:1' }, { vmid: 101 });
    const attach = { scsi1: 'local-zfs:vm-100-disk-0,serial=data' };
    await bench.run('PUT', `${QEMU}/101/config`, attach);
    expect(await bench.run('PUT', `${QEMU}/101/resize`, { disk: 'scsi1', size: '+1G' })).toBe('OK');
    expect(await config(bench, 101)).toMatchObject({ scsi1: expect.stringContaining('size=2G') });
    expect(await config(bench, 100)).toMatchObject({ scsi0: 'local-zfs:vm-100-disk-0,size=1G' });
    await bench.run('PUT', `${QEMU}/101/unlink`, { idlist: 'scsi1', force: 1 });
    expect(Object.keys(await config(bench, 101)).filter((key) => /unused|scsi/.test(key))).toEqual([]);
    await bench.run('PUT', `${QEMU}/101/config`, attach);
    await bench.run('DELETE', `${QEMU}/101`, { purge: 1, 'destroy-unreferenced-disks': 1 });
    expect(await volumesOf(bench, 'local-zfs', 100)).toEqual(['local-zfs:vm-100-disk-0']);
  });

  it('die with their owner although another VM uses them', async () => {
    const bench = await benchWith({ vmid: 100, scsi0: 'local-zfs:1' }, { vmid: 101 });
    await bench.run('PUT', `${QEMU}/101/config`, { scsi1: 'local-zfs:vm-100-disk-0' });
    expect(await bench.run('DELETE', `${QEMU}/100`)).toBe('OK');
    expect(checkVolumes(bench.pve.db).dangling).toEqual(['101: local-zfs:vm-100-disk-0']);
    const before = bench.pve.core.clock.now();
    expect(await bench.run('POST', `${QEMU}/101/status/start`)).toBe(
      "timeout: no zvol device link for 'vm-100-disk-0' found after 300 sec.",
    );
    expect(bench.pve.core.clock.now() - before).toBeGreaterThan(299_000);
  });

  it('lose their options when they come from the unused ones, keep them from a slot', async () => {
    const bench = await benchWith(
      { vmid: 100, scsi0: 'local-zfs:1,serial=a', scsi1: 'local-zfs:1,serial=b' },
      { vmid: 101 },
    );
    await bench.run('PUT', `${QEMU}/100/config`, { delete: 'scsi1' });
    const move = { 'target-vmid': 101 };
    await bench.run('POST', `${QEMU}/100/move_disk`, { disk: 'unused0', 'target-disk': 'scsi1', ...move });
    await bench.run('POST', `${QEMU}/100/move_disk`, { disk: 'scsi0', ...move });
    expect(await config(bench, 101)).toMatchObject({
      scsi0: 'local-zfs:vm-101-disk-1,serial=a,size=1G',
      scsi1: 'local-zfs:vm-101-disk-0,size=1G',
    });
  });

  it('moved back to an owner that still names them leave the owner with a dangling slot', async () => {
    const bench = await benchWith({ vmid: 100, scsi0: 'local-zfs:1' }, { vmid: 101 });
    await bench.run('PUT', `${QEMU}/101/config`, { scsi3: 'local-zfs:vm-100-disk-0' });
    const move = { disk: 'scsi3', 'target-vmid': 100, 'target-disk': 'scsi5' };
    expect(await bench.run('POST', `${QEMU}/101/move_disk`, move)).toBe('OK');
    expect(await config(bench, 100)).toMatchObject({ scsi5: 'local-zfs:vm-100-disk-1,size=1G' });
    expect(checkVolumes(bench.pve.db).dangling).toEqual(['100: local-zfs:vm-100-disk-0']);
  });

  it('of a protected VM can be replaced and moved, but not removed', async () => {
    const bench = await benchWith({ vmid: 100, scsi0: 'local-zfs:1', protection: 1 });
    const put = (params: Record<string, string>) => bench.run('PUT', `${QEMU}/100/config`, params);
    expect(await put({ delete: 'scsi0' })).toBe("500 can't remove drive 'scsi0' - protection mode enabled");
    expect(await put({ scsi0: 'local-zfs:1' })).toBe('done');
    expect(await put({ delete: 'unused0' })).toBe(
      "500 can't remove unused disk 'local-zfs:vm-100-disk-0' - protection mode enabled",
    );
    expect(await bench.run('POST', `${QEMU}/100/move_disk`, { disk: 'scsi0', storage: 'vmdata' })).toBe('OK');
  });

  it('of a create that fails are freed again, and the VM is gone', async () => {
    const bench = openBench(recordings);
    bench.pve.core.faults.set({ name: 'storage-full', subject: 'local-zfs', countdown: 1 });
    expect(await bench.run('POST', QEMU, { vmid: 100, scsi0: 'local-zfs:1', scsi1: 'local-zfs:1' })).toBe(
      "unable to create VM 100 - zfs error: cannot create 'rpool/data/vm-100-disk-1': out of space",
    );
    expect(bench.pve.db.vms.size).toBe(0);
    expect(checkVolumes(bench.pve.db).loose).toEqual([]);
  });

  it.each([
    ['local-zfs', 'raw', 'zeroinit:/dev/zvol/rpool/data/vm-100-disk-0'],
    ['vmdata', 'qcow2', 'zeroinit:/var/lib/vmdata/images/100/vm-100-disk-0.qcow2'],
  ])('of an import that fills %s are gone, and the VM with them', async (storage, format, target) => {
    const bench = openBench(recordings);
    bench.pve.core.faults.set({ name: 'storage-fills', subject: storage, countdown: 0 });
    const source = 'local:import/talos.qcow2';
    expect(await bench.run('POST', QEMU, { vmid: 100, scsi0: `${storage}:0,import-from=${source}` })).toBe(
      `unable to create VM 100 - cannot import from '${source}' - copy failed: command '/usr/bin/qemu-img convert -p -n -f qcow2 -O ${format} /var/lib/vz/import/talos.qcow2 ${target}' failed: exit code 1`,
    );
    expect(bench.pve.db.vms.size).toBe(0);
    expect(checkVolumes(bench.pve.db).loose).toEqual([]);
  });

  it('carry their data through moves, clones, snapshots and rollbacks', async () => {
    const bench = await benchWith({ vmid: 100, scsi0: 'local-zfs:0,import-from=local:import/talos.qcow2' });
    const dataOf = (volid: string) => findVolume(bench.pve.db, 'pve1', volid)?.data;
    const write = (n: number) => writeVolume(bench.pve, 'pve1', 'local-zfs:vm-100-disk-0', { data: { n } });
    write(1);
    await bench.run('POST', `${QEMU}/100/snapshot`, { snapname: 's1' });
    write(2);
    await bench.run('POST', `${QEMU}/100/clone`, { newid: 101, full: 1, storage: 'vmdata' });
    expect(dataOf('vmdata:101/vm-101-disk-0.raw')).toMatchObject({ data: { n: 2 } });
    await bench.run('POST', `${QEMU}/100/snapshot/s1/rollback`);
    expect(dataOf('local-zfs:vm-100-disk-0')).toMatchObject({ data: { n: 1 } });
    expect(await bench.run('DELETE', `${QEMU}/100/snapshot/s1`)).toBe('OK');
    await bench.run('POST', `${QEMU}/100/move_disk`, { disk: 'scsi0', storage: 'vmdata', delete: 1 });
    expect(dataOf('vmdata:100/vm-100-disk-0.raw')).toMatchObject({ data: { n: 1 } });
    expect(dataOf('local-zfs:vm-100-disk-0')).toBeUndefined();
  });
});

describe('volumes without a VM', () => {
  it('are wiped with a later VM of their id only if it is destroyed with its unreferenced disks', async () => {
    const bench = openBench(recordings);
    const content = '/nodes/pve1/storage/local-zfs/content';
    await bench.send('POST', content, { vmid: 9990, filename: 'vm-9990-talos-etcd', size: '1G' });
    await bench.run('POST', QEMU, { vmid: 9990 });
    expect(await bench.run('DELETE', `${QEMU}/9990`, { purge: 1 })).toBe('OK');
    expect(await volumesOf(bench, 'local-zfs', 9990)).toHaveLength(1);
    await bench.run('POST', QEMU, { vmid: 9990 });
    await bench.run('DELETE', `${QEMU}/9990`, { 'destroy-unreferenced-disks': 1 });
    expect(await volumesOf(bench, 'local-zfs', 9990)).toEqual([]);
  });
});
