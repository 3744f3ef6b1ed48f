/** Advice property: the printed command changes the situation it is printed for, and nothing is lost. */
import { expect, it } from 'vitest';
import { adviceFaults } from '../support/advice.js';
import { SITUATIONS } from '../support/advice-cases/all.js';
import { chosen, remembered } from '../support/shard.js';

it.each(chosen(SITUATIONS, { exhaustive: 40 }).map((one) => [one.name, one] as const))(
  '%s',
  async (name, situation) => {
    expect((await remembered(`advice ${name}`, () => adviceFaults(situation))).join('\n')).toBe('');
  },
);

it('every situation has its own name', () => {
  expect(new Set(SITUATIONS.map(({ name }) => name)).size).toBe(SITUATIONS.length);
});
