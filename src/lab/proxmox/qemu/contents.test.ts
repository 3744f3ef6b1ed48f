import { describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { recordings } from '../../profiles/recordings.js';
import { defaultBridge } from '../../world.js';
import { findVolume, writeVolume } from '../volumes.js';
import { parseDrive } from './disks/drives.js';

const TWO_HOSTS = {
  ...recordings,
  hosts: ['pve1', 'pve2'].map((name, index) => ({ name, cpus: 16, bridges: [defaultBridge(index)] })),
};
const SLOTS = ['scsi0', 'virtio0', 'sata0', 'ide0', 'efidisk0', 'tpmstate0'] as const;

/** What a VM's slot holds, found through its config as a host would. */
function contents(bench: Bench, vmid: number, slot: string): number | undefined {
  const vm = bench.pve.db.vms.get(String(vmid));
  const line = vm?.config[slot];
  return vm && line ? findVolume(bench.pve.db, vm.host, parseDrive(line).file)?.data.token : undefined;
}

async function benchWithDisk(slot: string): Promise<{ bench: Bench; mark: number }> {
  const bench = openBench(TWO_HOSTS);
  expect(await bench.run('POST', '/nodes/pve1/qemu', { vmid: 100, [slot]: 'local-zfs:1' })).toBe('OK');
  const { file } = parseDrive(bench.pve.db.vms.get('100')?.config[slot] ?? '');
  const blank = contents(bench, 100, slot);
  writeVolume(bench.pve, 'pve1', file, { data: { n: 1 } });
  const mark = contents(bench, 100, slot);
  expect(mark).toBeGreaterThan(blank ?? Number.NaN);
  return { bench, mark: mark ?? 0 };
}

describe.each(SLOTS)('contents of a volume on %s', (slot) => {
  const QEMU = '/nodes/pve1/qemu';

  it('are the same after a move to another storage and to another host', async () => {
    const { bench, mark } = await benchWithDisk(slot);
    const move = { disk: slot, storage: 'vmdata', delete: 1 };
    expect(await bench.run('POST', `${QEMU}/100/move_disk`, move)).toBe('OK');
    expect(contents(bench, 100, slot)).toBe(mark);
    expect(await bench.run('POST', `${QEMU}/100/migrate`, { target: 'pve2' })).toBe('OK');
    expect(contents(bench, 100, slot)).toBe(mark);
  });

  it('are the same after a clone, in both VMs', async () => {
    const { bench, mark } = await benchWithDisk(slot);
    expect(await bench.run('POST', `${QEMU}/100/clone`, { newid: 101, full: 1 })).toBe('OK');
    expect([100, 101].map((vmid) => contents(bench, vmid, slot))).toEqual([mark, mark]);
  });

  it('come back with a snapshot', async () => {
    const { bench, mark } = await benchWithDisk(slot);
    expect(await bench.run('POST', `${QEMU}/100/snapshot`, { snapname: 's1' })).toBe('OK');
    const { file } = parseDrive(bench.pve.db.vms.get('100')?.config[slot] ?? '');
    writeVolume(bench.pve, 'pve1', file, { data: { n: 2 } });
    expect(contents(bench, 100, slot)).not.toBe(mark);
    expect(await bench.run('POST', `${QEMU}/100/snapshot/s1/rollback`)).toBe('OK');
    expect(contents(bench, 100, slot)).toBe(mark);
  });

  it('are the same after the disk was detached and given another name', async () => {
    const { bench, mark } = await benchWithDisk(slot);
    expect(await bench.run('PUT', `${QEMU}/100/config`, { delete: slot })).toBe('done');
    expect(contents(bench, 100, 'unused0')).toBe(mark);
    expect(await bench.run('POST', QEMU, { vmid: 101 })).toBe('OK');
    const give = { disk: 'unused0', 'target-vmid': 101, 'target-disk': 'unused0' };
    expect(await bench.run('POST', `${QEMU}/100/move_disk`, give)).toBe('OK');
    expect(contents(bench, 101, 'unused0')).toBe(mark);
  });

  it('are new where a volume of the same name is made after the first was destroyed', async () => {
    const { bench, mark } = await benchWithDisk(slot);
    expect(await bench.run('DELETE', `${QEMU}/100`)).toBe('OK');
    expect(await bench.run('POST', QEMU, { vmid: 100, [slot]: 'local-zfs:1' })).toBe('OK');
    expect(contents(bench, 100, slot)).toBeGreaterThan(mark);
  });
});
