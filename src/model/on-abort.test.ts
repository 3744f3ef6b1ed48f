import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { onAbort } from './on-abort.js';

describe('waits that share a signal', () => {
  it('are woken in order, each once, except those that were cancelled', () => {
    const stop = new AbortController();
    const woken: number[] = [];
    const cancels = [1, 2, 3].map((number) => onAbort(stop.signal, () => woken.push(number)));
    cancels[1]?.();
    stop.abort();
    stop.abort();
    expect(woken).toEqual([1, 3]);
    for (const cancel of cancels) cancel();
  });

  it('are one listener for any number of waits, and none without a wait', () => {
    const { signal } = new AbortController();
    const listeners = () => getEventListeners(signal, 'abort').length;
    const same = () => {};
    for (let round = 0; round < 2; round += 1) {
      const cancels = Array.from({ length: 30 }, () => onAbort(signal, same));
      expect(listeners()).toBe(1);
      for (const cancel of cancels) cancel();
      expect(listeners()).toBe(0);
    }
  });

  it('may begin while the signal wakes the others', () => {
    const stop = new AbortController();
    onAbort(stop.signal, () => onAbort(stop.signal, () => {})());
    expect(() => stop.abort()).not.toThrow();
  });
});
