import { onAbort } from './on-abort.js';

/** For what serves until it is told to stop. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((done) => void onAbort(signal, done));
}
