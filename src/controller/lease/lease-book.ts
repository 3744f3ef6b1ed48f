/**
 * Leases of the Kubernetes API: one holder at a time. Who holds one is written there; when it may be taken from a holder that
 * says nothing any more is counted by our own clock, so that clocks need not agree.
 */
import { isKubernetesError, type KubernetesClient } from '../../clients/kubernetes/index.js';
import type { Clock } from '../../model/clock.js';
import { LEASES, MANAGED_BY } from '../api/group.js';
import { HeldLease } from './held-lease.js';
import { emptyRecord, firstEpoch, type LeaseRecord, recordOf, specOf } from './lease-record.js';

export interface LeaseOptions {
  readonly client: KubernetesClient;
  readonly time: Clock;
  readonly identity: string;
  /** A holder that has not renewed for so long has lost it. */
  readonly durationMs: number;
  readonly onLost?: (name: string) => void;
}

type Acquired = { readonly held: HeldLease } | { readonly by: string };

export class LeaseBook {
  /** What each lease said when we last saw a change, and when that was by our monotonic clock. */
  readonly #sightings = new Map<string, { readonly version: string; readonly at: number }>();

  constructor(private readonly options: LeaseOptions) {}

  get durationMs(): number {
    return this.options.durationMs;
  }

  /** Never waits: a lease that another holds is tried again later. */
  async acquire(
    namespace: string,
    name: string,
    labels: Readonly<Record<string, string>> = {},
    /** Annotations, as they are at each renewal. */
    notes?: () => Readonly<Record<string, string>>,
  ): Promise<Acquired> {
    const { client, identity } = this.options;
    const lease = await client.get(LEASES, name, namespace);
    const before = lease ? recordOf(lease) : emptyRecord();
    if (lease && !this.mayTake(`${namespace}/${name}`, before)) return { by: before.holder };
    const now = new Date(this.options.time.now()).toISOString().replace('Z', '000Z');
    const record: LeaseRecord = {
      ...before,
      holder: identity,
      epoch: lease ? before.epoch + 1 : firstEpoch(this.options.time.now()),
      renewTime: now,
      acquireTime: now,
      durationMs: this.options.durationMs,
    };
    const asked = this.options.time.elapsed();
    const askedAt = this.options.time.now();
    try {
      const written = lease
        ? await client.patch(LEASES, name, specOf(record), { kind: 'merge', namespace })
        : await client.create(
            LEASES,
            {
              apiVersion: LEASES.apiVersion,
              kind: LEASES.kind,
              metadata: { name, namespace, labels: { ...MANAGED_BY, ...labels } },
              spec: specOf(record).spec,
            },
            namespace,
          );
      const version = written.metadata.resourceVersion ?? '';
      return {
        held: new HeldLease(
          this.options,
          { namespace, name, ...(notes && { notes }) },
          { ...record, version },
          { asked, askedAt },
        ),
      };
    } catch (error) {
      // Another replica was faster.
      if (isKubernetesError(error, 'kubernetes.conflict', 'kubernetes.already-exists'))
        return { by: 'another replica' };
      throw error;
    }
  }

  /** Those that can be had, all or none, in one order so that no two wait for each other. */
  async acquireAll(
    namespace: string,
    names: readonly string[],
  ): Promise<{ held: HeldLease[] } | { by: string }> {
    const held: HeldLease[] = [];
    for (const name of [...new Set(names)].sort()) {
      const got = await this.acquire(namespace, name);
      if ('held' in got) {
        held.push(got.held);
        continue;
      }
      await Promise.all(held.map((lease) => lease.release()));
      return { by: `${got.by} (${name})` };
    }
    return { held };
  }

  /** Whether a lease is free, or its holder has been silent for its whole duration while we watched. */
  mayTake(key: string, { holder, version, durationMs }: LeaseRecord): boolean {
    if (holder === '') return true;
    const now = this.options.time.elapsed();
    const seen = this.#sightings.get(key);
    if (!seen || seen.version !== version) {
      this.#sightings.set(key, { version, at: now });
      return false;
    }
    return now - seen.at > durationMs;
  }
}
