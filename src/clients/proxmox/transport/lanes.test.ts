import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Lanes } from './lanes.js';

describe('lanes', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  async function entered(lanes: Lanes, count: number) {
    const inside: (() => void)[] = [];
    for (let index = 0; index < count; index += 1)
      void lanes.enter().then((leave) => {
        inside.push(leave);
      });
    await vi.advanceTimersByTimeAsync(1);
    return inside;
  }

  it('are few while answers are quick', async () => {
    const inside = await entered(new Lanes(16), 40);
    for (let round = 0; round < 10; round += 1) {
      expect(inside).toHaveLength(4);
      for (const leave of inside.splice(0)) leave();
      await vi.advanceTimersByTimeAsync(5);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(inside).toHaveLength(0);
  });

  it('are as many as allowed once an answer is late, also where none comes', async () => {
    const lanes = new Lanes(16);
    const inside = await entered(lanes, 40);
    expect(inside).toHaveLength(4);
    await vi.advanceTimersByTimeAsync(20);
    expect(inside).toHaveLength(16);
    for (const leave of inside.splice(0)) leave();
    await vi.advanceTimersByTimeAsync(1);
    expect(inside).toHaveLength(16);
  });

  it('are never more than allowed', async () => {
    const inside = await entered(new Lanes(2), 5);
    await vi.advanceTimersByTimeAsync(100);
    expect(inside).toHaveLength(2);
  });
});
