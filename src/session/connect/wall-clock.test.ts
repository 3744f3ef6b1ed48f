import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { DrivenClock } from '../../lab/clock.js';
import { wallClock } from './wall-clock.js';

describe.each([
  ['wall', wallClock],
  ['lab', new DrivenClock(0)],
])('sleeping by the %s clock', (_, clock) => {
  it('ends with the reason of the signal', async () => {
    const stop = new AbortController();
    const reason = new Error('interrupted by SIGINT');
    const asleep = clock.sleep(2 ** 30, stop.signal);
    stop.abort(reason);
    await expect(asleep).rejects.toBe(reason);
    await expect(clock.sleep(1, stop.signal)).rejects.toBe(reason);
  });

  it('leaves no listener, and any number of waits share one', async () => {
    const { signal } = new AbortController();
    const many = Promise.all(Array.from({ length: 20 }, () => clock.sleep(1, signal)));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await many;
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
