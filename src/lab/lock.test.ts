import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLock, takeLock } from './lock.js';

/** Above any pid a system gives. */
const NOBODY = 2 ** 30;

describe('the lock of a lab folder', () => {
  let folder: string;
  const file = () => join(folder, 'lock.json');

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'oxherd-lock-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('is held by one process, and named to the next', async () => {
    const lock = await takeLock(folder);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    await expect(takeLock(folder, 100)).rejects.toMatchObject({
      code: 'lab.busy',
      message: expect.stringContaining(`process ${process.pid}`),
    });
    lock.release();
    expect(existsSync(file())).toBe(false);
  });

  it('is given to whoever waits when it is released', async () => {
    const lock = await takeLock(folder);
    const waiting = takeLock(folder, 5_000);
    lock.release();
    (await waiting).release();
  });

  it('of a dead process is taken over by exactly one', async () => {
    writeFileSync(file(), JSON.stringify({ pid: NOBODY }));
    const takers = await Promise.allSettled([
      takeLock(folder, 200),
      takeLock(folder, 200),
      takeLock(folder, 200),
    ]);
    expect(takers.filter((taker) => taker.status === 'fulfilled')).toHaveLength(1);
    expect(readLock(folder)?.pid).toBe(process.pid);
  });

  it('says how a lab that serves is reached', async () => {
    const lock = await takeLock(folder);
    lock.announce({ url: 'http://127.0.0.1:1', secret: 's' });
    expect(readLock(folder)).toEqual({
      pid: process.pid,
      control: { url: 'http://127.0.0.1:1', secret: 's' },
    });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    lock.release();
  });
});
