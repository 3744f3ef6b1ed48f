/** What a Lease says, and how it is written. */
import type { Resource } from '../../clients/kubernetes/index.js';
import type { LEASES } from '../api/group.js';

type Lease = typeof LEASES extends Resource<infer T> ? T : never;

export interface LeaseRecord {
  /** '': no one holds it. */
  readonly holder: string;
  /** Rises with every acquisition. */
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
