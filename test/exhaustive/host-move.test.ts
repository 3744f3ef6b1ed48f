/** A move to another host that is cut off at each of its requests. */
import { afterAll, expect, it } from 'vitest';
import { cutOffAll, Rehearsal } from '../support/crash.js';
import { HOST_MOVE } from '../support/move-scenarios.js';
import { series } from '../support/shard.js';

const rehearsal = new Rehearsal(HOST_MOVE);
afterAll(() => rehearsal.dispose());

it('a move that is cut off is brought to its end, with every disk and what is on it', async () => {
  const { wrong, points } = await cutOffAll(
    rehearsal,
    'a host move',
    ['before', 'after'],
    series({ exhaustive: 6 }),
  );
  expect(wrong).toEqual([]);
  console.log(`cut off at ${points} points`);
});
