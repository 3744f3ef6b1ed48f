/** A lease that is ours: renewed until it is released or lost. While it was renewed lately, writes may leave. */
import { isKubernetesError } from '../../clients/kubernetes/index.js';
import { OxherdError } from '../../model/error.js';
import type { WriteGate } from '../../model/write-gate.js';
import { LEASES } from '../api/group.js';
import type { LeaseOptions } from './lease-book.js';
import { type LeaseRecord, recordOf, specOf } from './lease-record.js';

interface Moment {
  /** By the monotonic clock, which stands still while a computer sleeps. */
  readonly asked: number;
  /** By the wall's, which can be set back. */
  readonly askedAt: number;
}

function leaseLost(name: string, why: string): OxherdError {
  return new OxherdError('fleet.lease-lost', `lost the lease ${name}: ${why}`, {
    advice: 'nothing was written after that; the replica that holds it continues',
  });
}

export class HeldLease {
  readonly #lost = new AbortController();
  readonly #stop = new AbortController();
  readonly #renewing: Promise<void>;
  #record: LeaseRecord;
  #renewed: Moment;

  constructor(
    private readonly options: LeaseOptions,
    private readonly at: {
      readonly namespace: string;
      readonly name: string;
      readonly notes?: () => Readonly<Record<string, string>>;
    },
    record: LeaseRecord,
    renewed: Moment,
  ) {
    this.#record = record;
    this.#renewed = renewed;
    this.#renewing = this.#renew();
  }

  get epoch(): number {
    return this.#record.epoch;
  }

  get key(): string {
    return `${this.at.namespace}/${this.at.name}`;
  }

  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /** Shut a third of the duration before another replica may take the lease: what leaves until then has arrived. */
  readonly gate: WriteGate = {
    open: async () => {
      this.#check();
      this.lost.throwIfAborted();
    },
    isOpen: () => !this.lost.aborted && this.#age() <= this.#deadline(),
  };

  /** Gives it back, so that another need not wait. Ours alone is given back, and a lost one not at all. */
  async release(): Promise<void> {
    this.#stop.abort();
    await this.#renewing;
    if (this.lost.aborted) return;
    try {
      await this.#write({ ...this.#record, holder: '' });
    } catch (error) {
      // It ends by itself.
      if (!(error instanceof OxherdError)) throw error;
    }
  }

  async #renew(): Promise<void> {
    const { time, durationMs } = this.options;
    const stop = AbortSignal.any([this.#stop.signal, this.lost]);
    while (!stop.aborted) {
      await time.sleep(durationMs / 5, stop).catch(() => undefined);
      if (stop.aborted) return;
      this.#check();
      if (this.lost.aborted) return;
      const renewed: Moment = { asked: time.elapsed(), askedAt: time.now() };
      try {
        const renewTime = new Date(time.now()).toISOString().replace('Z', '000Z');
        this.#record = await this.#write({ ...this.#record, renewTime });
        this.#renewed = renewed;
      } catch (error) {
        if (isKubernetesError(error, 'kubernetes.not-found')) this.#lose('it was deleted');
        else if (isKubernetesError(error, 'kubernetes.conflict')) await this.#readAgain();
        else this.#check();
      }
    }
  }

  /** A renewal whose answer was lost makes the next one a conflict with ourselves. */
  async #readAgain(): Promise<void> {
    const { namespace, name } = this.at;
    const lease = await this.options.client.get(LEASES, name, namespace).catch(() => undefined);
    const now = lease && recordOf(lease);
    if (now?.holder === this.#record.holder && now.epoch === this.#record.epoch) this.#record = now;
    else if (now) this.#lose(`held by ${now.holder === '' ? 'no one' : now.holder}`);
  }

  async #write(record: LeaseRecord): Promise<LeaseRecord> {
    const { namespace, name, notes } = this.at;
    const { metadata, spec } = specOf(record);
    const annotations = notes?.();
    const patch = { metadata: { ...metadata, ...(annotations && { annotations }) }, spec };
    const written = await this.options.client.patch(LEASES, name, patch, { kind: 'merge', namespace });
    return { ...record, version: written.metadata.resourceVersion ?? '' };
  }

  #check(): void {
    if (this.#age() > this.#deadline()) this.#lose('it could not be renewed in time');
  }

  #lose(why: string): void {
    if (this.lost.aborted) return;
    this.#lost.abort(leaseLost(this.key, why));
    this.options.onLost?.(this.key);
  }

  #deadline(): number {
    return (this.options.durationMs * 2) / 3;
  }

  #age(): number {
    const { time } = this.options;
    return Math.max(time.elapsed() - this.#renewed.asked, time.now() - this.#renewed.askedAt);
  }
}
