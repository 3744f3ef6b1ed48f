import { OxherdError } from './error.js';

/**
 * An error that nothing caught, as the reason of an abort: the run ends as at Ctrl-C, and as a failed one. The state of the
 * process is in doubt from then on, so nothing new may begin.
 */
export class UncaughtError extends OxherdError {
  override readonly name = 'UncaughtError';

  constructor(cause: unknown) {
    const { message, where } = OxherdError.from(cause);
    super('uncaught', `unexpected error: ${message}`, {
      advice:
        'no further step was started; run the same command again to resume. This is a bug: report it with the output of OXHERD_DEBUG=1',
      cause,
      ...(where !== undefined && { where }),
    });
    // The place that threw, not the handler that noticed.
    if (cause instanceof Error && cause.stack !== undefined) this.stack = cause.stack;
  }

  /** Of a signal that such an error aborted. */
  static in(signal: AbortSignal): UncaughtError | undefined {
    return signal.reason instanceof UncaughtError ? signal.reason : undefined;
  }
}
