import type { Clock } from '../../model/clock.js';
import { onAbort } from '../../model/on-abort.js';

export const wallClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const timer = setTimeout(() => {
        ignore?.();
        resolve();
      }, ms);
      const ignore =
        signal &&
        onAbort(signal, () => {
          clearTimeout(timer);
          reject(signal.reason);
        });
    }),
};
