import { describe, expect, it } from 'vitest';
import { type Bench, openBench } from '../../../../../test/support/lab/proxmox/test-bench.js';
import { recordings } from '../../../profiles/recordings.js';
import { checkVolumes } from '../../check-volumes.js';

const VM = '/nodes/pve1/qemu/100';

async function runningVm(): Promise<Bench> {
  const bench = openBench(recordings);
  await bench.run('POST', '/nodes/pve1/qemu', { vmid: 100, memory: 512, scsi0: 'local-zfs:1' });
  expect(await bench.run('POST', `${VM}/status/start`)).toBe('OK');
  return bench;
}

const status = async (bench: Bench) => (await bench.send('GET', `${VM}/status/current`)).data;

describe('the memory of a VM', () => {
  it('is saved when it is suspended to disk, and thrown away when it runs again', async () => {
    const bench = await runningVm();
    expect(await bench.run('POST', `${VM}/status/suspend`, { todisk: 1 })).toBe('OK');
    expect(await status(bench)).toMatchObject({ status: 'stopped', lock: 'suspended' });
    expect((await bench.send('GET', `${VM}/config`)).data).toMatchObject({
      vmstate: 'local-zfs:vm-100-state-suspend-2026-01-01',
    });
    expect(await bench.run('PUT', `${VM}/config`, { cores: 2 })).toBe('500 VM is locked (suspended)');
    expect(await bench.run('POST', `${VM}/status/resume`)).toBe('OK');
    expect(await status(bench)).toMatchObject({ status: 'running' });
    expect(await status(bench)).not.toHaveProperty('lock');
    expect(checkVolumes(bench.pve.db)).toEqual({ problems: [], dangling: [], loose: [] });
  });

  it('can be given up instead: the lock goes with the state', async () => {
    const bench = await runningVm();
    await bench.run('POST', `${VM}/status/suspend`, { todisk: 1 });
    expect(await bench.run('PUT', `${VM}/config`, { delete: 'vmstate', skiplock: 1 })).toBe('done');
    expect(await status(bench)).not.toHaveProperty('lock');
    expect(checkVolumes(bench.pve.db)).toEqual({ problems: [], dangling: [], loose: [] });
  });

  it('belongs to a snapshot that was taken with it: going back starts the VM', async () => {
    const bench = await runningVm();
    expect(await bench.run('POST', `${VM}/snapshot`, { snapname: 's1', vmstate: 1 })).toBe('OK');
    await bench.run('POST', `${VM}/status/stop`);
    expect(await bench.run('POST', `${VM}/snapshot/s1/rollback`)).toBe('OK');
    expect(await status(bench)).toMatchObject({ status: 'running' });
    expect((await bench.send('GET', `${VM}/snapshot`)).data).toContainEqual(
      expect.objectContaining({ name: 's1', vmstate: 1 }),
    );
    expect(await bench.run('DELETE', `${VM}/snapshot/s1`)).toBe('OK');
    expect(checkVolumes(bench.pve.db)).toEqual({ problems: [], dangling: [], loose: [] });
  });
});
