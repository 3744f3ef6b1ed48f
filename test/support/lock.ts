/** The lock of runs inside a test, each as if it were a process of its own on one computer. */
import { randomBytes } from 'node:crypto';
import type { Holder } from '../../src/apply/lock/holder.js';
import type { AcquireOptions } from '../../src/apply/lock/lock.js';
import type { ProxmoxConnection } from '../../src/clients/proxmox/client.js';
import type { Clock } from '../../src/model/clock.js';
import { wallClock } from '../../src/session/connect/wall-clock.js';

export function testHolder(runId: string, more: Partial<Holder> = {}): Holder {
  return {
    token: randomBytes(8).toString('hex'),
    host: 'here',
    bootId: 'boot',
    pidNamespace: 'pid:[1]',
    pid: 1,
    runId,
    since: 'now',
    ...more,
  };
}

/** `alive`: every process that is asked about lives. */
export function testLockTools(client: ProxmoxConnection, clock: Clock, alive = false): AcquireOptions {
  return { client, clock, time: wallClock, processAt: () => ({ alive }) };
}
