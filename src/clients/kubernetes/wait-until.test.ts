import { expect, it } from 'vitest';
import { waitUntil } from './wait-until.js';

it.each([3_600_000, -3_600_000])('a wait ends in its time although the clock is set by %i ms', async (by) => {
  let elapsed = 0;
  let set = 0;
  const clock = {
    now: () => elapsed + set,
    elapsed: () => elapsed,
    sleep: async (ms: number) => {
      elapsed += ms;
      set += by;
    },
  };
  let reads = 0;
  const read = async () => {
    reads += 1;
    return undefined;
  };
  const what = { what: 'it', where: 'here' };
  await expect(waitUntil(clock, read, () => false, what, { timeoutMs: 10_000 })).rejects.toMatchObject({
    code: 'kubernetes.timeout',
  });
  expect(elapsed).toBe(10_000);
  expect(reads).toBe(6);
});
