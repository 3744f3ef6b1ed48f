/** A run under way: its events one after the other, and how it ended. */
import type { RunEvent } from '../../model/events.js';

/**
 * Iterating gives every event from the first on, also those from before the iteration began; a run goes on whether or
 * not anybody reads them. Errors that no step reports, such as a lock that another run holds, end both the iteration
 * and `result`.
 */
export interface Run<T> extends AsyncIterable<RunEvent> {
  readonly result: Promise<T>;
}

/** Starts the work at once. */
export function startRun<T>(work: (emit: (event: RunEvent) => void) => Promise<T>): Run<T> {
  const events: RunEvent[] = [];
  const waiting = new Set<() => void>();
  let ended = false;
  const wake = (): void => {
    for (const resume of waiting) resume();
    waiting.clear();
  };
  const result = work((event) => {
    events.push(event);
    wake();
  }).finally(() => {
    ended = true;
    wake();
  });
  // Whoever reads the events alone hears of it there.
  result.catch(() => undefined);
  return {
    result,
    async *[Symbol.asyncIterator]() {
      let read = 0;
      while (!ended || read < events.length) {
        const fresh = events.slice(read);
        read += fresh.length;
        yield* fresh;
        if (!ended && read === events.length) await new Promise<void>((resume) => waiting.add(resume));
      }
      await result;
    },
  };
}
