import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectProxmox, type ProxmoxConnection } from '../../clients/proxmox/client.js';
import { type Lab, startLab } from '../../lab/index.js';
import { type Holder, printHolder } from './holder.js';
import { type AcquireOptions, acquireLock, readLock, unlock } from './lock.js';
import { claimPool } from './pools.js';

const POOL = 'herd-lock';
const holder = (runId: string, more: Partial<Holder> = {}): Holder => ({
  token: randomBytes(8).toString('hex'),
  host: 'desk',
  bootId: 'boot',
  pidNamespace: 'pid:[1]',
  pid: 7,
  started: '1',
  runId,
  since: '2026-01-01T00:00:00Z',
  ...more,
});

let lab: Lab;
let client: ProxmoxConnection;
/** Real time, in the hands of the test. */
let time = { wall: 0, monotonic: 0 };
const options = (more: Partial<AcquireOptions> = {}): AcquireOptions => ({
  client,
  clock: lab.clock,
  time: { now: () => time.wall, elapsed: () => time.monotonic },
  processAt: () => ({ alive: false }),
  ...more,
});
const pools = () => [...lab.proxmox.pve.db.pools.values()].map(({ id }) => id).sort();
const left = (pool: string, of: Holder) => client.createPool(pool, printHolder(of));

beforeEach(async () => {
  time = { wall: 1_000, monotonic: 0 };
  lab = await startLab();
  client = connectProxmox({
    endpoints: [lab.endpoint],
    token: lab.token,
    tls: { kind: 'fingerprint', sha256: lab.fingerprint },
    clock: lab.clock,
    random: () => 0.5,
  });
});
afterEach(async () => {
  await client.close();
  await lab.stop();
});

describe('a lock', () => {
  it('is one pool while it is held, and none afterwards', async () => {
    const us = holder('one');
    const lock = await acquireLock([POOL], us, options());
    expect(pools()).toEqual([POOL]);
    expect((await readLock(client, [POOL])).get(POOL)).toEqual(us);
    const living = options({ processAt: () => ({ alive: true, started: '1' }) });
    await expect(acquireLock([POOL], holder('two', { pid: 8 }), living)).rejects.toMatchObject({
      code: 'lock.held',
      message: expect.stringContaining('(run one)'),
    });
    await lock.release();
    expect(pools()).toEqual([]);
  });

  it('of several pools is had as a whole or not at all', async () => {
    await left('second', holder('old', { bootId: 'another' }));
    await expect(acquireLock(['first', 'second'], holder('one'), options())).rejects.toMatchObject({
      code: 'lock.held',
      where: 'pool second',
    });
    expect(pools()).toEqual(['second']);
    await client.deletePool('second');
    const order: string[] = [];
    const recording: ProxmoxConnection = {
      ...client,
      behind(gate) {
        const gated = client.behind(gate);
        const noted = (what: string, work: Promise<void>) => {
          order.push(what);
          return work;
        };
        return {
          ...gated,
          createPool: (pool, comment) => noted(`create ${pool}`, gated.createPool(pool, comment)),
          deletePool: (pool) => noted(`delete ${pool}`, gated.deletePool(pool)),
        };
      },
    };
    const lock = await acquireLock(['first', 'second'], holder('two'), options({ client: recording }));
    expect(pools()).toEqual(['first', 'second']);
    await lock.release();
    expect(order).toEqual(['create first', 'create second', 'delete second', 'delete first']);
    expect(pools()).toEqual([]);
  });

  it.each(['drop-before', 'drop-after'] as const)('survives a lost answer (%s)', async (fault) => {
    const us = holder('one');
    lab.core.faults.set({ name: fault, subject: 'POST /pools', countdown: 0 });
    const lock = await acquireLock([POOL], us, options());
    expect((await readLock(client, [POOL])).get(POOL)?.token).toBe(us.token);
    lab.core.faults.set({ name: fault, subject: 'DELETE /pools', countdown: 0 });
    await lock.release();
    expect(pools()).toEqual([]);
  });

  it('of an earlier version, which knew no tokens, is seen and can be unlocked', async () => {
    await client.createPool(POOL, '{"host":"desk","bootId":"b","pid":3,"runId":"old","since":"then"}');
    await expect(acquireLock([POOL], holder('one'), options())).rejects.toMatchObject({
      message: 'cluster is locked by process 3 on desk since then (run old)',
    });
    expect(await unlock(await readLock(client, [POOL]), holder('person'), options())).toBe(true);
    expect(pools()).toEqual([]);
  });
});

describe('the lock of a dead run', () => {
  it('is taken over by one of two, after a wait', async () => {
    await left(POOL, holder('dead', { pid: 3 }));
    const before = lab.clock.now();
    const alive = (pid: number) => ({ alive: pid !== 3, started: '1' });
    const both = await Promise.allSettled(
      [8, 9].map((pid) => acquireLock([POOL], holder(`run${pid}`, { pid }), options({ processAt: alive }))),
    );
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(both.find((one) => one.status === 'rejected')).toMatchObject({ reason: { code: 'lock.held' } });
    expect(lab.clock.now() - before).toBeGreaterThanOrEqual(10_000);
    for (const one of both) if (one.status === 'fulfilled') await one.value.release();
    expect(pools()).toEqual([]);
  });

  it('is taken over although its claimant died too, and nothing is left', async () => {
    const dead = holder('dead', { pid: 3 });
    const claimant = holder('claimant', { pid: 4 });
    await left(POOL, dead);
    await left(claimPool(POOL, dead.token), claimant);
    await left(claimPool(POOL, 'ffffffffffffffff'), claimant);
    const lock = await acquireLock([POOL], holder('one'), options());
    expect(pools()).toEqual([POOL]);
    await lock.release();
    expect(pools()).toEqual([]);
  });

  it('stays with a living claimant', async () => {
    const dead = holder('dead', { pid: 3 });
    await left(POOL, dead);
    await left(claimPool(POOL, dead.token), holder('claimant', { bootId: 'another' }));
    await expect(acquireLock([POOL], holder('one'), options())).rejects.toMatchObject({
      message: expect.stringContaining('being taken over by process 7 on desk'),
    });
  });

  it('is taken over where it was left by this very process', async () => {
    const first = await acquireLock([POOL], holder('one'), options());
    lab.core.faults.set({ name: 'host-down', subject: '', countdown: null });
    await expect(first.release()).rejects.toMatchObject({ code: 'proxmox.unreachable' });
    lab.core.faults.clear('host-down');
    const second = await acquireLock([POOL], holder('two'), options());
    await second.gate.open();
  });
});

describe('the write gate', () => {
  it('keeps the lock while a write without an answer may still take effect', async () => {
    const lock = await acquireLock([POOL], holder('one'), options());
    const gated = client.behind(lock.gate);
    await expect(gated.deletePool('none')).rejects.toMatchObject({ code: 'proxmox.not-found' });
    lab.core.faults.set({ name: 'drop-after', subject: 'POST /pools', countdown: 0 });
    await expect(gated.createPool('late')).rejects.toMatchObject({ code: 'proxmox.dropped' });
    const before = lab.clock.now();
    await lock.release();
    expect(lab.clock.now() - before).toBeGreaterThanOrEqual(10_000);
    expect(pools()).toEqual(['late']);
  });

  it('waits for nothing after a refusal', async () => {
    const lock = await acquireLock([POOL], holder('one'), options());
    await expect(client.behind(lock.gate).deletePool('none')).rejects.toMatchObject({
      code: 'proxmox.not-found',
    });
    const before = lab.clock.now();
    await lock.release();
    expect(lab.clock.now() - before).toBeLessThan(1_000);
  });

  it('reads the holder again once the reading is 5 s old by either clock', async () => {
    const lock = await acquireLock([POOL], holder('one'), options());
    const reads = () => lab.proxmox.requests().total;
    await lock.gate.open();
    const before = reads();
    time.monotonic += 5_000;
    expect(lock.gate.isOpen()).toBe(true);
    time.wall += 5_001;
    expect(lock.gate.isOpen()).toBe(false);
    await Promise.all([lock.gate.open(), lock.gate.open()]);
    expect(reads() - before).toBe(1);
    // The wall's clock was set back: the other one counts.
    time.wall -= 3_600_000;
    time.monotonic += 5_001;
    expect(lock.gate.isOpen()).toBe(false);
  });

  it('stops a write that has waited too long for its turn', async () => {
    const lock = await acquireLock([POOL], holder('one'), options());
    const behind = client.behind({
      open: () => lock.gate.open(),
      // As if the process had been stopped between the question and the sending.
      isOpen: () => {
        time.monotonic += stopped;
        stopped = 0;
        return lock.gate.isOpen();
      },
    });
    let stopped = 60_000;
    await unlock(await readLock(client, [POOL]), holder('person'), options());
    time.monotonic += 6_000;
    await expect(behind.createPool('written')).rejects.toMatchObject({ code: 'lock.lost' });
    expect(pools()).toEqual([]);
  });

  it('stays shut once the lock was lost, and names the holder', async () => {
    const us = holder('one');
    const lock = await acquireLock([POOL], us, options());
    const gated = client.behind(lock.gate);
    await gated.createPool('before');
    await unlock(await readLock(client, [POOL]), holder('person'), options());
    const next = await acquireLock([POOL], holder('two'), options());
    time.monotonic += 6_000;
    const lost = {
      code: 'lock.lost',
      message: 'lost the cluster lock: held by process 7 on desk since 2026-01-01T00:00:00Z (run two)',
    };
    await expect(gated.createPool('after')).rejects.toMatchObject(lost);
    expect(lock.lost.reason).toMatchObject(lost);
    await next.release();
    // Even if the lock looked like ours again.
    await left(POOL, us);
    await expect(gated.deletePool('before')).rejects.toMatchObject(lost);
    expect(await gated.pools()).toHaveLength(2);
    await lock.release();
    expect(pools()).toEqual(['before']);
  });
});

describe('unlock', () => {
  it('of a living run waits until that run cannot write any more, with the lock in its own hands', async () => {
    const run = await acquireLock([POOL], holder('run', { bootId: 'another' }), options());
    const before = lab.clock.now();
    const waits: string[] = [];
    const seen: (string | undefined)[] = [];
    const onWait = (message: string) => {
      waits.push(message);
      seen.push(lab.proxmox.pve.db.pools.get(POOL)?.comment);
    };
    expect(await unlock(await readLock(client, [POOL]), holder('person'), options({ onWait }))).toBe(true);
    expect(lab.clock.now() - before).toBeGreaterThanOrEqual(10_000);
    expect(waits).toEqual([expect.stringContaining('waiting 10 s')]);
    expect(seen[0]).toContain('"runId":"person"');
    expect(pools()).toEqual([]);
    await run.release();
  });

  it('takes nothing from a run that a person was not shown', async () => {
    const run = await acquireLock([POOL], holder('one', { bootId: 'another' }), options());
    const shown = await readLock(client, [POOL]);
    await run.release();
    expect(await unlock(shown, holder('person'), options())).toBe(false);
    const next = await acquireLock([POOL], holder('two', { bootId: 'another' }), options());
    await expect(unlock(shown, holder('person'), options())).rejects.toMatchObject({ code: 'lock.held' });
    await next.gate.open();
  });
});
