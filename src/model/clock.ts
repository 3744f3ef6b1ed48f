/** Time is an argument: the wall brings one, the lab another. */
export interface Clock {
  /** Milliseconds since the epoch. A clock that is set jumps: for dates, not for durations. */
  now(): number;
  /** Milliseconds since some moment, never backwards and never by a jump: for time-outs. */
  elapsed(): number;
  /** Resolves after `ms`, or rejects with the signal's reason when it is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
