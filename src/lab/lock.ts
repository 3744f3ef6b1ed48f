/** One process holds a lab's folder: a file with its pid. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { OxherdError } from '../model/error.js';

const LOCK_FILE = 'lock.json';
const POLL = 50;
const PATIENCE = 3_000;

const lockContent = z.object({
  pid: z.number(),
  /** Where a lab that serves takes orders, and the word that proves one may give them. */
  control: z.object({ url: z.string(), secret: z.string() }).optional(),
});
type LockContent = z.infer<typeof lockContent>;

export interface LockHolder {
  /** Tells others how to reach the lab that holds the lock. */
  announce(control: { url: string; secret: string }): void;
  release(): void;
}

/** Waits at most `patience` wall-clock milliseconds. */
export async function takeLock(folder: string, patience = PATIENCE): Promise<LockHolder> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, LOCK_FILE);
  const deadline = Date.now() + patience;
  while (!tryLock(file)) {
    const holder = readLock(folder);
    if (holder && !isAlive(holder.pid)) {
      removeStale(file, holder.pid);
      continue;
    }
    if (Date.now() >= deadline) {
      throw new OxherdError(
        'lab.busy',
        `the lab in ${folder} is in use by process ${holder?.pid ?? 'unknown'}`,
        {
          where: folder,
          advice: 'wait until that process has ended, stop it, or choose another folder with --state',
        },
      );
    }
    await wait(POLL);
  }
  const write = (content: LockContent) => {
    const fresh = `${file}.${process.pid}`;
    writeFileSync(fresh, JSON.stringify(content), { mode: 0o600 });
    renameSync(fresh, file);
  };
  return {
    announce: (control) => write({ pid: process.pid, control }),
    release: () => rmSync(file, { force: true }),
  };
}

export function readLock(folder: string): LockContent | undefined {
  try {
    return lockContent.parse(JSON.parse(readFileSync(join(folder, LOCK_FILE), 'utf8')));
  } catch {
    // None, or one that is being written this very moment.
    return undefined;
  }
}

function tryLock(file: string): boolean {
  try {
    writeFileSync(file, JSON.stringify({ pid: process.pid }), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Moved away before it is removed, so that of two finders only one takes it. */
function removeStale(file: string, pid: number): void {
  const aside = `${file}.stale.${process.pid}`;
  try {
    renameSync(file, aside);
  } catch {
    return;
  }
  const taken = lockContent.safeParse(JSON.parse(readFileSync(aside, 'utf8')));
  // Another process was faster: what was moved away is its lock.
  if (taken.success && taken.data.pid !== pid && isAlive(taken.data.pid)) renameSync(aside, file);
  else rmSync(aside, { force: true });
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
