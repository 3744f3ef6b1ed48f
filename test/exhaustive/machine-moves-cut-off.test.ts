/** A node with its machine that goes to another host, or gets another name, cut off on the way. */
import { afterEach, describe, expect, it } from 'vitest';
import { cutOffEverywhere, MachineRehearsal } from '../support/machine-crash.js';
import { MACHINE_MOVES, MACHINE_RENAMED } from '../support/machine-scenarios.js';
import { series } from '../support/shard.js';

describe('a node that is cut off', () => {
  let rehearsal: MachineRehearsal | undefined;
  afterEach(() => rehearsal?.dispose());

  it.each([
    ['on its way to another host', MACHINE_MOVES, 15],
    ['on its way to another name', MACHINE_RENAMED, 15],
  ] as const)('%s always arrives', async (what, scenario, exhaustive) => {
    rehearsal = new MachineRehearsal(scenario);
    const share = series({ exhaustive });
    const { wrong, points } = await cutOffEverywhere(rehearsal, what, ['before', 'after'], share);
    console.log(`cut off at ${points} points`);
    expect(wrong).toEqual([]);
    expect(points).toBeGreaterThan(3);
  });
});
