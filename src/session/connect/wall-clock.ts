import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../model/clock.js';

export const wallClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  async sleep(ms, signal) {
    await delay(ms, undefined, signal && { signal });
  },
};
