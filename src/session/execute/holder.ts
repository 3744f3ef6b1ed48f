/** Who this process is, for the lock: enough to know later whether it is still there. */
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import type { Holder, ProcessSight } from '../../apply/lock/holder.js';

export function thisHolder(now: number): Holder {
  const own = processAt(process.pid);
  const started = own.alive ? own.started : undefined;
  return {
    token: randomBytes(8).toString('hex'),
    host: hostname(),
    ...optional('bootId', bootId()),
    ...optional('pidNamespace', pidNamespace()),
    pid: process.pid,
    ...optional('started', started),
    runId: randomUUID().slice(0, 8),
    since: new Date(now).toISOString(),
  };
}

/** Whether there is such a process on this computer, and when it began. */
export function processAt(pid: number): ProcessSight {
  // 0 and negative numbers are groups of processes.
  if (pid <= 0 || !exists(pid)) return { alive: false };
  const { state, started } = process.platform === 'linux' ? fromProc(pid) : fromPs(pid);
  // A zombie has ended; only its parent has not looked yet.
  if (state === 'Z' || state === 'X') return { alive: false };
  return { alive: true, ...optional('started', started) };
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process is a process as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

interface ProcessState {
  readonly state?: string | undefined;
  readonly started?: string | undefined;
}

function fromProc(pid: number): ProcessState {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  // The name in parentheses may contain anything; proc(5) counts from it: state is field 3, starttime 22.
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { state: fields?.[0], started: fields?.[19] };
}

function fromPs(pid: number): ProcessState {
  const line = run('ps', ['-o', 'stat=,lstart=', '-p', String(pid)]);
  const [, state, started] = /^(\S)\S*\s+(.+)$/.exec(line ?? '') ?? [];
  return { state, started };
}

function bootId(): string | undefined {
  if (process.platform === 'linux')
    return attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  return process.platform === 'darwin' ? run('sysctl', ['-n', 'kern.bootsessionuuid']) : undefined;
}

function pidNamespace(): string | undefined {
  if (process.platform === 'linux') return attempt(() => readlinkSync('/proc/self/ns/pid'));
  // There is but one such space.
  return process.platform === 'darwin' ? 'darwin' : undefined;
}

function run(command: string, args: readonly string[]): string | undefined {
  const env = { PATH: '/bin:/usr/bin:/sbin:/usr/sbin', LC_ALL: 'C' };
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
  return attempt(() => execFileSync(command, args, { encoding: 'utf8', env, stdio, timeout: 5_000 }).trim());
}

function attempt(read: () => string): string | undefined {
  try {
    return read() || undefined;
  } catch {
    return undefined;
  }
}

function optional<K extends string>(key: K, value: string | undefined): Partial<Record<K, string>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, string>);
}
