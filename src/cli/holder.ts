/** Who this process is, for the lock: enough to know later whether it is still there. */
import { randomUUID } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname, uptime } from 'node:os';
import type { Holder } from '../apply/lock.js';

export function thisHolder(now: number): Holder {
  return {
    host: hostname(),
    bootId: bootId(now),
    ...pidNamespace(),
    pid: process.pid,
    runId: randomUUID().slice(0, 8),
    since: new Date(now).toISOString(),
  };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's process is a process as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function bootId(now: number): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // No such file on macOS: the minute it was started is as good.
    return `boot-${Math.round((now / 1_000 - uptime()) / 60)}`;
  }
}

function pidNamespace(): Pick<Holder, 'pidNamespace'> {
  try {
    return { pidNamespace: readlinkSync('/proc/self/ns/pid') };
  } catch {
    // Only Linux has such namespaces.
    return {};
  }
}
