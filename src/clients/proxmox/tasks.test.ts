import { describe, expect, it } from 'vitest';
import { clientOf, failureOf, labForTest } from '../../../test/support/clients/proxmox/lab.js';

const DISK = { memory: 512, scsi0: 'local-zfs:1' };

describe('tasks', () => {
  it('are followed until they end, at first closely', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    const task = await client.createVm('pve1', 100, DISK);
    expect(task).toMatchObject({ node: 'pve1', type: 'qmcreate', id: '100' });
    const started = lab.clock.now();
    const lines: string[] = [];
    const result = await client.waitTask(task, { onLog: (line) => lines.push(line) });
    expect(result).toMatchObject({ exitstatus: 'OK', warnings: [] });
    expect(lines.at(-1)).toBe('TASK OK');
    expect(lines).toEqual(await client.taskLog(task, { limit: 500 }));
    const polls = client.sent.filter((request) => request.path.endsWith('/status')).length;
    // Once a second would be one poll for each second that has passed.
    expect(polls).toBeGreaterThan(0);
    expect(lab.clock.now() - started).toBeLessThan(60_000);
  });

  it('that fail say why, with the end of their log', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    await client.runTask(() => client.createVm('pve1', 100, DISK));
    const error = await failureOf(client.runTask(() => client.resizeDisk('pve1', 100, 'scsi0', '512M')));
    expect(error).toMatchObject({ code: 'proxmox.task-failed' });
    expect(error.message).toContain('shrinking disks is not supported');
    expect(error.task?.logTail.at(-1)).toBe('TASK ERROR: shrinking disks is not supported');
    expect(error.advice).toContain('TASK ERROR');
  });

  it('have their failures told apart as refusals are', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    await client.runTask(() => client.createVm('pve1', 100, DISK));
    const error = await failureOf(
      client.runTask(() => client.resizeDisk('pve1', 100, 'scsi0', '2G', '0'.repeat(40))),
    );
    expect(error.code).toBe('proxmox.task-failed');
    expect(error.is('proxmox.digest')).toBe(true);
  });

  it('that warn keep their warnings', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    lab.core.faults.set({ name: 'task-warns', subject: 'qmcreate', countdown: 0 });
    const result = await client.runTask(() => client.createVm('pve1', 100, DISK));
    expect(result?.exitstatus).toBe('WARNINGS: 1');
    expect(result?.warnings).toEqual(["WARN: lab fault 'task-warns'"]);
    await expect(client.vmConfig('pve1', 100)).resolves.toBeDefined();
  });

  it('that never end are given up on, and can be stopped', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    lab.core.faults.set({ name: 'task-hangs', subject: 'qmcreate', countdown: 0 });
    const task = await client.createVm('pve1', 100, DISK);
    const started = lab.clock.now();
    const error = await failureOf(client.waitTask(task, { timeoutMs: 60_000 }));
    expect(error).toMatchObject({ code: 'proxmox.task-timeout', mayHaveHappened: true });
    expect(lab.clock.now() - started).toBeLessThan(63_000);
    const polls = client.sent.filter((request) => request.path.endsWith('/status')).length;
    expect(polls).toBeLessThan(75);
    expect((await client.taskStatus(task)).running).toBe(true);
    await client.stopTask(task);
    expect(await client.taskStatus(task)).toMatchObject({ running: false });
  });

  it('are left alone when the waiting is called off', async () => {
    const lab = await labForTest({ speed: 1 });
    const client = clientOf(lab);
    lab.core.faults.set({ name: 'task-hangs', subject: 'qmcreate', countdown: 0 });
    const task = await client.createVm('pve1', 100, DISK);
    const stop = new AbortController();
    const waiting = client.waitTask(task, { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    expect((await client.taskStatus(task)).running).toBe(true);
  });

  it('are waited for through a lost connection', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    const task = await client.createVm('pve1', 100, DISK);
    lab.core.faults.set({ name: 'drop-after', subject: 'GET */status', countdown: 0 });
    await expect(client.waitTask(task)).resolves.toMatchObject({ exitstatus: 'OK' });
  });
});
