import { expect, it } from 'vitest';
import { openBench } from '../../../../test/support/lab/proxmox/test-bench.js';
import { recordingsMore } from '../../profiles/recordings.js';

async function withVms() {
  const bench = openBench(recordingsMore);
  await bench.run('POST', '/nodes/pve2/qemu', { vmid: 100, onboot: 1 });
  await bench.run('POST', '/nodes/pve2/qemu', { vmid: 101 });
  const running = () => [100, 101].filter((vmid) => bench.pve.db.vms.get(String(vmid))?.running);
  return { ...bench, running };
}

it('starts what starts with its host, or all, and shuts all down', async () => {
  const { run, running, bugs } = await withVms();
  expect(await run('POST', '/nodes/pve2/startall')).toBe('OK');
  expect(running()).toEqual([100]);
  expect(await run('POST', '/nodes/pve2/startall', { force: 1 })).toBe('OK');
  expect(running()).toEqual([100, 101]);
  expect(await run('POST', '/nodes/pve2/stopall', { vms: '101', timeout: 30 })).toBe('OK');
  expect(running()).toEqual([100]);
  expect(await run('POST', '/nodes/pve2/suspendall')).toBe('OK');
  expect(running()).toEqual([]);
  expect(bugs).toEqual([]);
});

it('reboots a host, which comes back with what starts with it', async () => {
  const { run, send, wait, running } = await withVms();
  await run('POST', '/nodes/pve2/startall', { force: 1 });
  expect(await send('POST', '/nodes/pve2/status', { command: 'reboot' })).toMatchObject({ status: 200 });
  await wait(5_000);
  expect((await send('GET', '/nodes/pve2/qemu')).status).toBe(595);
  expect(running()).toEqual([]);
  await wait(130_000);
  expect((await send('GET', '/nodes/pve2/qemu')).status).toBe(200);
  expect(running()).toEqual([100]);
  await send('POST', '/nodes/pve2/status', { command: 'shutdown' });
  await wait(600_000);
  expect((await send('GET', '/nodes/pve2/qemu')).status).toBe(595);
});
