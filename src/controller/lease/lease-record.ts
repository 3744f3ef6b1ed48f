/** What a Lease says, and how it is written. */
import type { Resource } from '../../clients/kubernetes/index.js';
import type { LEASES } from '../api/group.js';

type Lease = typeof LEASES extends Resource<infer T> ? T : never;

export interface LeaseRecord {
  /** '': no one holds it. */
  readonly holder: string;
  /** Rises with every acquisition, also after the object was deleted: see `firstEpoch`. */
  readonly epoch: number;
  readonly durationMs: number;
  readonly renewTime: string;
  readonly acquireTime: string;
  /** Of the object: writes are for this one alone. */
  readonly version: string;
}

export function emptyRecord(): LeaseRecord {
  return { holder: '', epoch: 0, durationMs: 0, renewTime: '', acquireTime: '', version: '' };
}

/**
 * The lock in Proxmox is taken over only by a later epoch of the same lease. A lease that was deleted and made again must
 * therefore not start below an epoch of the deleted one: it starts with the seconds since 2020, and no lease is acquired
 * every second. `leaseTransitions` has 32 bits, which last until 2088.
 */
export function firstEpoch(now: number): number {
  return Math.max(1, Math.floor((now - Date.UTC(2020, 0, 1)) / 1_000));
}

export function recordOf({ metadata, spec = {} }: Lease): LeaseRecord {
  return {
    holder: spec.holderIdentity ?? '',
    epoch: spec.leaseTransitions ?? 0,
    durationMs: (spec.leaseDurationSeconds ?? 0) * 1_000,
    renewTime: spec.renewTime ?? '',
    acquireTime: spec.acquireTime ?? '',
    version: metadata.resourceVersion ?? '',
  };
}

/** A merge patch that is refused where the object is another than the one that was read. */
export function specOf(record: LeaseRecord) {
  return {
    ...(record.version !== '' && { metadata: { resourceVersion: record.version } }),
    spec: {
      holderIdentity: record.holder,
      leaseDurationSeconds: Math.max(1, Math.round(record.durationMs / 1_000)),
      leaseTransitions: record.epoch,
      renewTime: record.renewTime,
      acquireTime: record.acquireTime,
    },
  };
}
