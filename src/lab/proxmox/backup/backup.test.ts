import { describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { recordingsMore } from '../../profiles/recordings.js';
import { parseDrive } from '../qemu/disks/drives.js';
import { findVolume, writeVolume } from '../volumes.js';
import { nextRun } from './calendar.js';

const NODE = '/nodes/pve1';

function tokenOf(bench: Bench, vmid: number): number | undefined {
  const line = bench.pve.db.vms.get(String(vmid))?.config.scsi0 ?? '';
  return findVolume(bench.pve.db, 'pve1', parseDrive(line).file)?.data.token;
}

async function backedUp(): Promise<{ bench: Bench; archive: string; token: number | undefined }> {
  const bench = openBench(recordingsMore);
  const disk = {
    vmid: 100,
    name: 'a',
    scsi0: 'local-zfs:1,wwn=0x3000000000000001',
    scsi1: 'local-zfs:1,backup=0',
  };
  expect(await bench.run('POST', `${NODE}/qemu`, disk)).toBe('OK');
  writeVolume(bench.pve, 'pve1', 'local-zfs:vm-100-disk-0', { data: { n: 1 } });
  const token = tokenOf(bench, 100);
  expect(await bench.run('POST', `${NODE}/vzdump`, { vmid: 100, storage: 'local', compress: 'zstd' })).toBe(
    'OK',
  );
  const { data } = await bench.send('GET', `${NODE}/storage/local/content`, { content: 'backup' });
  const [{ volid }] = data as [{ volid: string }];
  return { bench, archive: volid, token };
}

describe('a backup', () => {
  it('brings back what was on the disks, under the id it is restored as', async () => {
    const { bench, archive, token } = await backedUp();
    expect(archive).toMatch(/^local:backup\/vzdump-qemu-100-[\d_]+-[\d_]+\.vma\.zst$/);
    expect(await bench.run('POST', `${NODE}/qemu`, { vmid: 101, archive })).toBe('OK');
    const config = bench.pve.db.vms.get('101')?.config;
    expect(config?.scsi0).toBe('local-zfs:vm-101-disk-0,size=1G,wwn=0x3000000000000001');
    expect(config).not.toHaveProperty('scsi1');
    expect(tokenOf(bench, 101)).toBe(token);
  });

  it('takes the place of a VM only with force, and leaves its other disks unused', async () => {
    const { bench, archive, token } = await backedUp();
    writeVolume(bench.pve, 'pve1', 'local-zfs:vm-100-disk-0', { data: { n: 2 } });
    expect(await bench.run('POST', `${NODE}/qemu`, { vmid: 100, archive })).toBe(
      "500 unable to restore VM 100 - VM 100 already exists on node 'pve1'",
    );
    expect(await bench.run('POST', `${NODE}/qemu`, { vmid: 100, archive, force: 1 })).toBe('OK');
    expect(tokenOf(bench, 100)).toBe(token);
    expect(bench.pve.db.vms.get('100')?.config.unused0).toBe('local-zfs:vm-100-disk-1');
  });

  it('is pruned by its retention, never when it is protected', async () => {
    const { bench } = await backedUp();
    for (let index = 0; index < 3; index += 1) {
      await bench.wait(3_600_000);
      await bench.run('POST', `${NODE}/vzdump`, {
        vmid: 100,
        storage: 'local',
        protected: index === 0 ? 1 : 0,
      });
    }
    const prune = { 'prune-backups': 'keep-last=1' };
    const { data } = await bench.send('GET', `${NODE}/storage/local/prunebackups`, prune);
    expect((data as { mark: string }[]).map(({ mark }) => mark)).toEqual([
      'keep',
      'remove',
      'protected',
      'remove',
    ]);
    expect(await bench.run('DELETE', `${NODE}/storage/local/prunebackups`, prune)).toBe('OK');
    const left = await bench.send('GET', `${NODE}/storage/local/content`, { content: 'backup' });
    expect(left.data).toHaveLength(2);
  });
});

it.each([
  ['sat 02:00', '2026-01-03T02:00:00Z'],
  ['mon..fri 22:00', '2026-01-01T22:00:00Z'],
  ['*/6:00', '2026-01-01T06:00:00Z'],
  ['03:30', '2026-01-01T03:30:00Z'],
  ['*-15 00:00', '2026-01-15T00:00:00Z'],
  ['monthly', '2026-02-01T00:00:00Z'],
])('the schedule %s is due next at %s', (schedule, next) => {
  expect(nextRun(schedule, Date.UTC(2026, 0, 1, 0, 30))).toBe(Date.parse(next) / 1000);
});
