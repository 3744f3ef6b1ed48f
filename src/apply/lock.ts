/** One writer at a time: a pool in Proxmox, because creating one is atomic there. Its comment says who holds it. */
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import { isProxmoxError } from '../clients/proxmox/errors.js';
import { lockPoolName } from '../formats/cluster-names.js';
import type { ClusterIdentity } from '../formats/identities.js';
import { OxherdError } from '../model/error.js';

export interface Holder {
  readonly host: string;
  /** Changes when the computer starts anew: its process ids begin again. */
  readonly bootId: string;
  /** Among whose processes `pid` counts: a container has its own. Absent: there is but one such space. */
  readonly pidNamespace?: string;
  readonly pid: number;
  readonly runId: string;
  /** ISO time at which it was taken. */
  readonly since: string;
}

export interface ClusterLock {
  /** Throws unless we still hold it; asked before every disruptive step. */
  check(): Promise<void>;
  release(): Promise<void>;
}

export class LockError extends OxherdError {
  override readonly name = 'LockError';
}

export function lockPool(cluster: ClusterIdentity): string {
  return lockPoolName(cluster);
}

export async function acquireLock(
  client: ProxmoxClient,
  cluster: ClusterIdentity,
  holder: Holder,
  /** Whether a process of this computer is still there. */
  isAlive: (pid: number) => boolean,
): Promise<ClusterLock> {
  const pool = lockPool(cluster);
  for (let attempt = 0; ; attempt += 1) {
    try {
      await client.createPool(pool, printHolder(holder));
      break;
    } catch (error) {
      if (isProxmoxError(error, 'proxmox.forbidden')) throw notPermitted(pool, error);
      const there = await readLock(client, cluster);
      // Our own request may have been carried out although its answer was lost.
      if (there?.runId === holder.runId) break;
      if (!isProxmoxError(error, 'proxmox.exists')) throw error;
      if (there === undefined && attempt < 3) continue;
      if (!there) throw heldByUnknown(pool);
      if (!isAbandoned(there, holder, isAlive) || attempt >= 3) throw held(pool, there);
      await client.deletePool(pool).catch(() => undefined);
    }
  }
  ours.add(holder.runId);
  if ((await readLock(client, cluster)) === undefined) return blindLock(client, pool, holder);
  return {
    async check() {
      const there = await readLock(client, cluster);
      if (there?.runId !== holder.runId) throw held(pool, there);
    },
    async release() {
      ours.delete(holder.runId);
      const there = await readLock(client, cluster);
      if (there?.runId === holder.runId) await client.deletePool(pool);
    },
  };
}

/** A token without Pool.Audit can make pools and cannot see them: it knows that the lock is there, not whose it is. */
function blindLock(client: ProxmoxClient, pool: string, holder: Holder): ClusterLock {
  return {
    async check() {
      try {
        await client.createPool(pool, printHolder(holder));
      } catch (error) {
        if (isProxmoxError(error, 'proxmox.exists')) return;
        throw error;
      }
      // It had been removed; what was made just now is nobody's lock.
      await client.deletePool(pool);
      throw held(pool, undefined);
    },
    release() {
      ours.delete(holder.runId);
      return client.deletePool(pool);
    },
  };
}

/** `undefined`: nobody holds it, or our token may not see who. */
export async function readLock(client: ProxmoxClient, cluster: ClusterIdentity): Promise<Holder | undefined> {
  const pool = lockPool(cluster);
  const entry = (await client.pools()).find((candidate) => candidate.poolid === pool);
  return entry && parseHolder(entry.comment ?? '');
}

/** False: there was none. */
export async function removeLock(client: ProxmoxClient, cluster: ClusterIdentity): Promise<boolean> {
  try {
    await client.deletePool(lockPool(cluster));
    return true;
  } catch (error) {
    if (isProxmoxError(error, 'proxmox.not-found')) return false;
    throw error;
  }
}

/** Runs of this process that hold a lock, or were not told that theirs is gone. */
const ours = new Set<string>();

/**
 * On this computer, by a process that is gone or from before it was started. A process of another container cannot be
 * seen from here, so it counts as living. Where another run had our own process id it has ended; our own runs we know.
 */
function isAbandoned(there: Holder, us: Holder, isAlive: (pid: number) => boolean): boolean {
  if (there.host !== us.host) return false;
  if (there.bootId !== us.bootId) return true;
  if (there.pidNamespace !== us.pidNamespace) return false;
  return there.pid === us.pid ? !ours.has(there.runId) : !isAlive(there.pid);
}

export function describeHolder(holder: Holder): string {
  return `process ${holder.pid} on ${holder.host} since ${holder.since} (run ${holder.runId})`;
}

function printHolder(holder: Holder): string {
  return JSON.stringify(holder);
}

const NOBODY: Holder = { host: 'unknown', bootId: '', pid: 0, runId: 'unknown', since: 'unknown' };

function parseHolder(comment: string): Holder {
  try {
    const value: unknown = JSON.parse(comment);
    return typeof value === 'object' && value !== null ? { ...NOBODY, ...value } : NOBODY;
  } catch {
    return NOBODY;
  }
}

function held(pool: string, holder: Holder | undefined): LockError {
  return new LockError(
    'lock.held',
    holder
      ? `another run holds the lock: ${describeHolder(holder)}`
      : 'the lock was taken away from this run',
    {
      where: `pool ${pool}`,
      advice: holder
        ? 'wait for it; if that run is dead: oxherd unlock'
        : 'see who runs oxherd on this cluster, then run it again',
    },
  );
}

function heldByUnknown(pool: string): LockError {
  return new LockError('lock.held', 'another run holds the lock, and our token may not see which one', {
    where: `pool ${pool}`,
    advice:
      'wait for it; if no other run lives: oxherd unlock. With Pool.Audit on /pool the lock of a dead run is taken over',
  });
}

function notPermitted(pool: string, cause: unknown): LockError {
  return new LockError('lock.not-permitted', 'our token may not make the pool that serves as the lock', {
    where: `pool ${pool}`,
    advice: 'grant it Pool.Allocate on /pool; `oxherd doctor` prints the command',
    cause,
  });
}
