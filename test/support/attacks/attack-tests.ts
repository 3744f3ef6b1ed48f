import { describe, expect, it } from 'vitest';
import { chosen, remembered } from '../shard.js';
import type { AttackGroup } from './attacks.js';
import { attackCases, runAttack } from './run.js';

/** A share of the attacks of one group in test:exhaustive, all of them in test:full. */
export function attackTests(group: AttackGroup): void {
  const cases = chosen(attackCases(group), { test: 2, exhaustive: 60 });
  describe(`attacks: ${group}`, () => {
    it.each(cases)('nothing is lost: $name', async (one) => {
      expect(await remembered(`attack ${one.name}`, () => runAttack(one))).toEqual([]);
    });
  });
}
