import { ConnectError } from '@connectrpc/connect';
import type { Clock } from '../../model/clock.js';
import { OxherdError } from '../../model/error.js';
import { talosError } from './classify.js';
import type { Line } from './connection.js';
import type { TalosError } from './errors.js';
import { refusedDates } from './refused-dates.js';

/** How long calls may take, by the wall: a call that hangs hangs in real time, whatever the lab's clock says. */
export interface Deadlines {
  /** Answers from memory: versions, statuses, lists. */
  readonly quick: number;
  /** Calls that work before they answer: pulls, installs, snapshots. */
  readonly long: number;
}

export const DEADLINES: Deadlines = { quick: 15_000, long: 600_000 };

const RETRIES = 2;
const RETRY_AFTER_MS = 500;

/** Carries calls out: errors become `TalosError`, the connection is dropped when it broke, reads are repeated. */
export class Calls {
  constructor(
    readonly connection: Line,
    private readonly clock: Clock,
    readonly deadlines: Deadlines,
  ) {}

  /** Once: a call that changes something may have been carried out although its answer was lost. */
  async once<T>(
    work: (options: { timeoutMs: number }) => Promise<T>,
    timeoutMs = this.deadlines.quick,
  ): Promise<T> {
    try {
      return await work({ timeoutMs });
    } catch (error) {
      throw this.failed(error);
    }
  }

  /** A read, repeated when the connection was lost: a session may have gone stale since the last call. */
  async read<T>(work: (options: { timeoutMs: number }) => Promise<T>): Promise<T> {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await this.once(work);
      } catch (error) {
        const lost = talosError(error, this.connection.where).code === 'talos.unreachable';
        if (!lost || attempt >= RETRIES) throw error;
        await this.clock.sleep(RETRY_AFTER_MS);
      }
    }
  }

  async *stream<T>(
    open: (options: { timeoutMs?: number; signal?: AbortSignal }) => AsyncIterable<T>,
    options = {},
  ) {
    try {
      yield* open(options);
    } catch (error) {
      throw this.failed(error);
    }
  }

  private failed(error: unknown): OxherdError {
    // The write gate's own word, which connect has wrapped.
    if (error instanceof ConnectError && error.cause instanceof OxherdError) return error.cause;
    const failure = talosError(error, this.connection.where);
    if (brokeConnection(error, failure)) this.connection.drop();
    const { certificate, where } = this.connection;
    if (failure.code !== 'talos.certificate-refused' || certificate === undefined) return failure;
    return refusedDates(certificate, where, Date.now(), error);
  }
}

/**
 * Whether the connection is of no more use. A machine that answers with an error (its etcd may be `Unavailable`) is
 * still there, and other calls are under way on the same connection.
 */
function brokeConnection(error: unknown, failure: TalosError): boolean {
  if (
    [
      'talos.certificate-required',
      'talos.certificate-refused',
      'talos.other-secrets',
      'talos.untrusted',
    ].includes(failure.code)
  ) {
    return true;
  }
  return error instanceof ConnectError && error.cause !== undefined;
}
