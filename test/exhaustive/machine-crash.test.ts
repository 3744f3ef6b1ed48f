import { afterEach, describe, expect, it } from 'vitest';
import { cutOffEverywhere, MachineRehearsal } from '../support/machine-crash.js';
import { FIRST_BOOT, STAGED_CHANGE, TALOS_UPGRADE } from '../support/machine-scenarios.js';

describe('a run with machines that is cut off', () => {
  let rehearsal: MachineRehearsal | undefined;
  afterEach(() => rehearsal?.dispose());

  it.each([
    // Every single call; of an upgrade every second one.
    ['from first boot to the cluster', FIRST_BOOT, 1, 130],
    ['while a staged config is rolled', STAGED_CHANGE, 1, 80],
    ['while Talos is upgraded', TALOS_UPGRADE, 2, 60],
  ] as const)('%s always converges, bootstrapped once', async (_, scenario, every, least) => {
    rehearsal = new MachineRehearsal(scenario);
    const { wrong, points } = await cutOffEverywhere(rehearsal, ['before', 'after'], every);
    console.log(`cut off at ${points} points`);
    expect(wrong).toEqual([]);
    expect(points).toBeGreaterThan(least);
  });
});
