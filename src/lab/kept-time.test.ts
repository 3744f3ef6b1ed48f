import { describe, expect, it } from 'vitest';
import { DrivenClock } from './clock.js';
import { keepTime } from './kept-time.js';
import { memoryStore } from './store.js';

function lab(start = 1_000_000) {
  const store = memoryStore();
  const clock = new DrivenClock(start);
  const time = keepTime(store);
  time.follow(clock);
  return { store, clock, time };
}

describe('the time of a lab', () => {
  it('is on disk before anything that happened at it', async () => {
    const { store, clock, time } = lab();
    const table = store.table<number>('things');
    for (const pause of [0, 1, 400, 5_000, 60_000]) {
      await clock.sleep(pause);
      table.put('last', clock.now());
      expect(time.last()).toBeGreaterThanOrEqual(clock.now());
      expect(time.last()).toBeLessThanOrEqual(clock.now() + 1_000);
    }
  });

  it('is exact after an orderly end', async () => {
    const { store, clock, time } = lab();
    store.table<number>('things').put('first', 1);
    await clock.sleep(10);
    time.stopped();
    expect(time.last()).toBe(clock.now());
  });
});
