/** Lab time stands still while no one runs it, and never runs backwards, whatever ended the process. */
import type { LabClock } from './clock.js';
import type { Store } from './store.js';

/** Written ahead by this much, so that not every change is two. */
const AHEAD_MS = 1_000;

interface KeptTime {
  /** Where time goes on; `undefined`: it begins. */
  last(): number | undefined;
  /** From now on no change is on disk before a time that is not earlier than it. */
  follow(clock: LabClock): void;
  /** An orderly end: the next run begins at this very moment. */
  stopped(): void;
}

export function keepTime(store: Store): KeptTime {
  const table = store.table<number>('lab');
  const last = () => table.get('time');
  let now: (() => number) | undefined;
  let written = Number.NEGATIVE_INFINITY;
  const write = (time: number) => {
    written = time;
    table.put('time', time);
  };
  store.beforeChange(() => {
    const time = now?.();
    if (time !== undefined && time > written) write(time + AHEAD_MS);
  });
  return {
    last,
    follow(clock) {
      now = () => clock.now();
    },
    stopped() {
      if (now) write(now());
      now = undefined;
    },
  };
}
