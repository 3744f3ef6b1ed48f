import { describe, expect, it } from 'vitest';
import { clientOf, labForTest } from '../../../test/support/clients/proxmox/lab.js';
import type { Answer, ApiSession } from './api-session.js';
import { ProxmoxError } from './errors.js';
import { parseUpid, type TaskRef, waitTask } from './task.js';
import { TaskWatch } from './task-watch.js';

const task = (vmid: number, host = 'pve1', type = 'qmcreate'): TaskRef =>
  parseUpid(`UPID:${host}:${String(vmid).padStart(8, '0')}:0D2F1C00:6955B900:${type}:${vmid}:root@pam!lab:`);

interface Host {
  /** When a task ends and how; one that is not here never ends. */
  readonly ends: ReadonlyMap<TaskRef, { readonly at: number; readonly exitstatus?: string }>;
  /** Does not know these. */
  readonly unlisted?: readonly TaskRef[];
  /** Says of all that they run. */
  readonly stale?: boolean;
  readonly listFails?: ProxmoxError;
}

/** A host whose time passes only by sleeping: to the next moment for which someone waits. */
function hostWith({ ends, unlisted = [], stale = false, listFails }: Host) {
  let now = 0;
  const moments: { at: number; resolve: () => void }[] = [];
  const asked: string[] = [];
  const pump = () => {
    moments.sort((a, b) => a.at - b.at);
    const next = moments.shift();
    if (!next) return;
    now = Math.max(now, next.at);
    next.resolve();
  };
  const statusOf = (one: TaskRef) => {
    const end = ends.get(one);
    return end && end.at <= now && !stale ? (end.exitstatus ?? 'OK') : undefined;
  };
  const session: ApiSession = {
    endpoints: [],
    tokenId: 'root@pam!lab',
    clock: {
      now: () => now,
      elapsed: () => now,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          const onAbort = () => {
            moments.splice(moments.indexOf(moment), 1);
            reject(signal?.reason);
          };
          const moment = {
            at: now + ms,
            resolve: () => {
              signal?.removeEventListener('abort', onAbort);
              resolve();
            },
          };
          moments.push(moment);
          signal?.addEventListener('abort', onAbort);
          setImmediate(pump);
        }),
    },
    async request(_method, path): Promise<Answer> {
      const one = [...ends.keys()].find(({ upid }) => decodeURIComponent(path).includes(upid));
      asked.push(one ? `status ${one.id}` : 'list');
      if (one && path.endsWith('/log')) return { data: [{ n: 1, t: 'TASK ERROR: no' }], total: 1 };
      if (one) {
        const end = ends.get(one);
        const ended = end !== undefined && end.at <= now;
        const exitstatus = end?.exitstatus ?? 'OK';
        return { data: ended ? { status: 'stopped', exitstatus } : { status: 'running' }, total: undefined };
      }
      if (listFails) throw listFails;
      const listed = [...ends.keys()].filter((each) => !unlisted.includes(each));
      const data = listed.map((each) => ({ upid: each.upid, status: statusOf(each) ?? 'RUNNING' }));
      return { data, total: data.length };
    },
    behind: () => session,
    close: async () => {},
  };
  const watch = new TaskWatch(session);
  return { wait: (one: TaskRef) => waitTask(session, watch, one), asked, now: () => now };
}

const TASKS = Array.from({ length: 8 }, (_, index) => task(100 + index));
const allAt = (at: number, of = TASKS) => new Map(of.map((one) => [one, { at }]));

describe('several tasks of one host', () => {
  it('are asked about with one list, and with nothing else', async () => {
    const { wait, asked } = hostWith({ ends: allAt(400) });
    const results = await Promise.all(TASKS.map(wait));
    expect(results.map(({ exitstatus }) => exitstatus)).toEqual(TASKS.map(() => 'OK'));
    expect(new Set(asked)).toEqual(new Set(['list']));
    expect(asked.length).toBeLessThan(10);
  });

  it('that end at different times are each seen to end soon after', async () => {
    const ends = new Map(TASKS.map((one, index) => [one, { at: 300 + 700 * index }]));
    const { wait, now } = hostWith({ ends });
    const late = await Promise.all(
      TASKS.map((one) => wait(one).then(() => now() - (ends.get(one)?.at ?? 0))),
    );
    expect(Math.min(...late)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...late)).toBeLessThan(1_100);
  });

  it('that a list does not name are asked about themselves', async () => {
    const { wait, asked } = hostWith({ ends: allAt(400), unlisted: TASKS.slice(0, 1) });
    await Promise.all(TASKS.map(wait));
    expect(asked).toContain('status 100');
    expect(asked).not.toContain('status 101');
  });

  it('that failed are asked about themselves, and fail with their reason', async () => {
    const ends = new Map<TaskRef, { at: number; exitstatus?: string }>(allAt(400));
    ends.set(TASKS[2] ?? task(102), { at: 200, exitstatus: 'disk full' });
    const { wait } = hostWith({ ends });
    const results = await Promise.allSettled(TASKS.map(wait));
    expect(results.map(({ status }) => status).filter((status) => status === 'rejected')).toHaveLength(1);
    expect(results[2]).toMatchObject({ reason: { code: 'proxmox.task-failed' } });
    expect(String(results[2]?.status === 'rejected' && results[2].reason.message)).toContain('disk full');
  });

  it('are waited for though no list can be had', async () => {
    const { wait } = hostWith({ ends: allAt(400), listFails: new ProxmoxError('proxmox.forbidden', 'no') });
    await expect(Promise.all(TASKS.map(wait))).resolves.toHaveLength(8);
  });

  it('are seen to end though the list of the host is stale', async () => {
    const { wait, now } = hostWith({ ends: allAt(400), stale: true });
    await Promise.all(TASKS.map(wait));
    expect(now()).toBeLessThan(15_000);
  });
});

describe('a kind of task that ended before', () => {
  it('is first asked about when it should have ended', async () => {
    const rounds = Array.from({ length: 6 }, (_, round) => task(200 + round));
    const ends = new Map<TaskRef, { at: number }>();
    const { wait, asked, now } = hostWith({ ends });
    const polls: number[] = [];
    const late: number[] = [];
    for (const one of rounds) {
      ends.set(one, { at: now() + 800 });
      const before = asked.length;
      await wait(one);
      polls.push(asked.length - before);
      late.push(now() - (ends.get(one)?.at ?? 0));
    }
    expect(polls[0]).toBeGreaterThan(5);
    expect(Math.max(...polls.slice(2))).toBeLessThanOrEqual(4);
    expect(Math.max(...late.slice(1))).toBeLessThan(250);
  });

  it('is asked about after a second at the latest, however long the last one took', async () => {
    const long = task(300);
    const quick = task(301);
    const ends = new Map([[long, { at: 120_000 }]]);
    const { wait, now } = hostWith({ ends });
    await wait(long);
    const started = now();
    ends.set(quick, { at: started + 50 });
    await wait(quick);
    expect(now() - started).toBeLessThanOrEqual(1_000);
  });
});

describe('on the lab', () => {
  it('eight new VMs cost a list each look, and their failures are told', async () => {
    const lab = await labForTest();
    const client = clientOf(lab);
    lab.core.faults.set({ name: 'task-fails', subject: 'qmcreate:103', countdown: 0 });
    const made = await Promise.allSettled(
      TASKS.map(({ id }) =>
        client.runTask(() => client.createVm('pve1', Number(id), { memory: 512, scsi0: 'local-zfs:1' })),
      ),
    );
    expect(made.map(({ status }) => status === 'rejected')).toEqual(TASKS.map(({ id }) => id === '103'));
    const single = client.sent.filter(({ path }) => path.endsWith('/status'));
    expect(client.sent.some(({ path }) => path.endsWith('/tasks'))).toBe(true);
    // The one that failed, and whichever was the last to be waited for.
    expect(single.length).toBeLessThan(20);
  });
});
