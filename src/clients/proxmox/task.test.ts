import { describe, expect, it } from 'vitest';
import type { Answer, ApiSession } from './api-session.js';
import { taskCalls } from './calls/tasks.js';
import { DiskOperations } from './disk-operations.js';
import { ProxmoxError } from './errors.js';
import { parseUpid } from './task.js';

const UPID = 'UPID:pve1:000003E9:0D2F1C00:6955B900:qmcreate:100:root@pam!lab:';
const EXIT = (exitstatus: string) => ({ status: 'stopped', exitstatus });

/** Answers from a list, whatever is asked; time passes only by sleeping. */
function scripted(answers: readonly (unknown | ProxmoxError)[]) {
  let now = 0;
  const sleeps: number[] = [];
  const asked: string[] = [];
  const left = [...answers];
  const session: ApiSession = {
    endpoints: [],
    tokenId: 'root@pam!lab',
    clock: {
      now: () => now,
      elapsed: () => now,
      sleep: async (ms) => {
        sleeps.push(ms);
        now += ms;
      },
    },
    async request(method, path, params): Promise<Answer> {
      asked.push(
        `${method} ${path.replace(UPID.replaceAll('!', '%21'), 'UPID')} ${JSON.stringify(params ?? {})}`,
      );
      const answer = left.shift();
      if (answer instanceof ProxmoxError) throw answer;
      if (isPart(answer)) return answer;
      return { data: answer, total: undefined };
    },
    behind: () => session,
    close: async () => {},
  };
  return { calls: taskCalls(session, new DiskOperations(session, 1), () => 0), sleeps, asked };
}

function isPart(value: unknown): value is Answer {
  return typeof value === 'object' && value !== null && 'total' in value && 'data' in value;
}

const lines = (...texts: string[]) => texts.map((t, index) => ({ n: index + 1, t }));

describe('UPIDs', () => {
  it('name the host, the kind and the subject', () => {
    expect(parseUpid(UPID)).toEqual({ upid: UPID, node: 'pve1', type: 'qmcreate', id: '100' });
    expect(parseUpid('UPID:pve1:00000001:000000002:6955B900:download:talos.iso:a@pve:').id).toBe('talos.iso');
    expect(parseUpid('UPID:pve1:00000001:00000002:6955B900:imgcopy::a@pve:').id).toBe('');
  });

  it('are not taken from just anything', () => {
    expect(() => parseUpid('local-zfs:vm-100-disk-0')).toThrow('should have named a task');
  });
});

describe('waiting for a task', () => {
  const task = parseUpid(UPID);

  it('asks soon, then ever less often, at most once a second', async () => {
    const running = Array(15).fill({ status: 'running' });
    const { calls, sleeps } = scripted([...running, EXIT('OK')]);
    await calls.waitTask(task);
    expect(sleeps[0]).toBe(25);
    expect(sleeps.every((pause, index) => index === 0 || pause >= (sleeps[index - 1] ?? 0))).toBe(true);
    expect(sleeps.at(-1)).toBe(1_000);
  });

  it('bears with a task that is not known yet, and not for ever', async () => {
    const unknown = new ProxmoxError('proxmox.parameter', 'no such task', { status: 400 });
    const { calls } = scripted([unknown, unknown, EXIT('OK')]);
    await expect(calls.waitTask(task)).resolves.toMatchObject({ exitstatus: 'OK' });
    const never = scripted(Array(100).fill(unknown));
    await expect(never.calls.waitTask(task)).rejects.toBe(unknown);
    expect(never.asked.length).toBeLessThan(20);
  });

  it('shows the end of a long log, not its beginning', async () => {
    const { calls, asked } = scripted([
      EXIT('it broke'),
      { data: lines('first'), total: 2_000 },
      { data: lines('one before', 'TASK ERROR: it broke'), total: 2_000 },
    ]);
    const error = await calls.waitTask(task).catch((reason: unknown) => reason);
    expect(error).toMatchObject({ task: { logTail: ['one before', 'TASK ERROR: it broke'] } });
    expect(asked.at(-1)).toBe('GET /nodes/pve1/tasks/UPID/log {"start":1990,"limit":10}');
  });

  it('tells the failure though the log cannot be read', async () => {
    const { calls } = scripted([EXIT('it broke'), new ProxmoxError('proxmox.dropped', 'gone')]);
    await expect(calls.waitTask(task)).rejects.toThrow('it broke');
  });
});

describe('running a task', () => {
  const lost = "can't lock file '/var/lock/qemu-server/lock-100.conf' - got timeout";

  it('starts it again where it did not get its lock', async () => {
    const log = { data: lines(`TASK ERROR: ${lost}`), total: 1 };
    const { calls } = scripted([EXIT(lost), log, log, EXIT('OK')]);
    let started = 0;
    const result = await calls.runTask(async () => {
      started += 1;
      return parseUpid(UPID);
    });
    expect(result?.exitstatus).toBe('OK');
    expect(started).toBe(2);
  });

  it('does not start again what failed for another reason', async () => {
    const log = { data: lines('TASK ERROR: no'), total: 1 };
    const { calls } = scripted([EXIT('no'), log, log]);
    let started = 0;
    await expect(
      calls.runTask(async () => {
        started += 1;
        return parseUpid(UPID);
      }),
    ).rejects.toThrow('no');
    expect(started).toBe(1);
  });

  it('takes an answer without a task for done', async () => {
    const { calls } = scripted([]);
    expect(await calls.runTask(async () => undefined)).toBeUndefined();
  });
});
