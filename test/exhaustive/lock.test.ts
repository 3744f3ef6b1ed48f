/** The larger searches of the lock's protocol; the small ones are beside it. */
import { expect, it } from 'vitest';
import { type Scenario, search } from '../support/apply/lock/search.js';

const run = { computer: 'one', does: 'run' } as const;
const elsewhere = { computer: 'two', does: 'run' } as const;
const unlock = { computer: 'two', does: 'unlock' } as const;
const dead = { holder: true, claimant: true, flight: 'claimant replaces' } as const;
const released = { holder: true, flight: 'holder deletes' } as const;

it.each<[string, Scenario]>([
  ['two runs after a dead claimant', { contenders: [run, run], crashes: 1, losses: 1, left: dead }],
  ['two runs after a dead release', { contenders: [run, run], crashes: 1, losses: 1, left: released }],
  ['a run, its unlock and the next run', { contenders: [run, unlock, run], crashes: 1, losses: 0 }],
  ['the same with a lost answer', { contenders: [run, unlock, run], crashes: 0, losses: 1 }],
  ['a run, its unlock and a run elsewhere', { contenders: [run, unlock, elsewhere], crashes: 1, losses: 0 }],
  ['three runs', { contenders: [run, run, run], crashes: 1, losses: 0 }],
])('one holder always: %s', (_, scenario) => {
  const found = search(scenario);
  expect(found.violation).toBeUndefined();
  expect(found.states).toBeGreaterThan(1_000);
});
