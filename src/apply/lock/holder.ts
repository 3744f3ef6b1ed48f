/** Who holds a lock: enough to know later whether that run can still be there. Kept in the comment of the lock's pool. */
import { sha256Hex } from '../../formats/text/hash.js';
import type { Party } from './protocol.js';

export interface Holder extends Party {
  readonly host: string;
  /** Changes when the computer starts: process ids begin again then. Absent: unknown. */
  readonly bootId?: string;
  /** Among whose processes `pid` counts: a container has its own. Absent: unknown. */
  readonly pidNamespace?: string;
  readonly pid: number;
  /** When the process began, as the system counts it: the same pid with another start is another process. */
  readonly started?: string;
  readonly runId: string;
  /** ISO time at which it was taken. */
  readonly since: string;
  /** A controller of a fleet, and the lease on which it works. */
  readonly fleet?: FleetMark;
}

/**
 * A lease is held by one replica at a time and each holder has a higher epoch: whoever holds a later one has seen the earlier
 * holder lose it, after which that one sends nothing more.
 */
export interface FleetMark {
  readonly id: string;
  /** `namespace/name` of the lease. */
  readonly lease: string;
  readonly epoch: number;
}

/** What the system says about a process id. `started` absent: it does not say. */
export type ProcessSight = { readonly alive: false } | { readonly alive: true; readonly started?: string };

/**
 * Proof that the run of a holder is over, as far as a process beside it can see: the same boot, the same process
 * ids, and no such process. The host's name proves nothing: CI runners share one.
 */
export function hasEnded(
  holder: Holder,
  us: Holder,
  processAt: (pid: number) => ProcessSight,
  /** Runs of this very process that go on. */
  active: ReadonlySet<string>,
): boolean {
  if (isSucceeded(holder.fleet, us.fleet)) return true;
  if (holder.bootId === undefined || holder.bootId !== us.bootId) return false;
  if (holder.pidNamespace === undefined || holder.pidNamespace !== us.pidNamespace) return false;
  const isUs = holder.pid === us.pid && holder.started === us.started;
  if (isUs) return !active.has(holder.token);
  const process = processAt(holder.pid);
  if (!process.alive) return true;
  return holder.started !== undefined && process.started !== undefined && holder.started !== process.started;
}

/** The same lease of the same fleet, and an epoch after it. */
function isSucceeded(before: FleetMark | undefined, now: FleetMark | undefined): boolean {
  if (!before || !now) return false;
  return before.id === now.id && before.lease === now.lease && now.epoch > before.epoch;
}

export function describeHolder(holder: Holder): string {
  if (holder.fleet)
    return `the fleet controller on ${holder.host} since ${holder.since} (lease ${holder.fleet.lease}, run ${holder.runId})`;
  return `process ${holder.pid} on ${holder.host} since ${holder.since} (run ${holder.runId})`;
}

export function printHolder(holder: Holder): string {
  return JSON.stringify(holder);
}

/** A comment that no oxherd wrote, or one before tokens, still has an identity: its own text. */
export function parseHolder(comment: string): Holder {
  const fields = objectIn(comment);
  const text = (name: string): string | undefined => {
    const value = fields.get(name);
    return typeof value === 'string' && value !== '' ? printable(value) : undefined;
  };
  const optional = (name: 'bootId' | 'pidNamespace' | 'started') => {
    const value = text(name);
    return value === undefined ? {} : { [name]: value };
  };
  const token = text('token');
  const pid = fields.get('pid');
  return {
    token: token !== undefined && /^[0-9a-z]{8,64}$/.test(token) ? token : sha256Hex(comment).slice(0, 16),
    host: text('host') ?? 'unknown',
    ...optional('bootId'),
    ...optional('pidNamespace'),
    pid: typeof pid === 'number' && Number.isSafeInteger(pid) ? pid : 0,
    ...optional('started'),
    runId: text('runId') ?? 'unknown',
    since: text('since') ?? 'unknown',
    ...fleetIn(fields.get('fleet')),
  };
}

function fleetIn(value: unknown): { readonly fleet?: FleetMark } {
  if (typeof value !== 'object' || value === null) return {};
  const { id, lease, epoch }: Partial<Record<string, unknown>> = { ...value };
  if (typeof id !== 'string' || typeof lease !== 'string') return {};
  if (typeof epoch !== 'number' || !Number.isSafeInteger(epoch)) return {};
  return { fleet: { id: printable(id), lease: printable(lease), epoch } };
}

function objectIn(comment: string): ReadonlyMap<string, unknown> {
  try {
    const value: unknown = JSON.parse(comment);
    return new Map(typeof value === 'object' && value !== null ? Object.entries(value) : []);
  } catch {
    return new Map();
  }
}

/** Anyone who may change pools wrote it; it is printed on a terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '').slice(0, 200);
}
