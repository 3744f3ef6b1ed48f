import { afterEach, describe, expect, it } from 'vitest';
import { cutOffEverywhere, MachineRehearsal } from '../support/machine-crash.js';
import { FIRST_BOOT, STAGED_CHANGE, TALOS_UPGRADE } from '../support/machine-scenarios.js';

describe('a run with machines that is cut off at every single call', () => {
  let rehearsal: MachineRehearsal | undefined;
  afterEach(() => rehearsal?.dispose());

  it.each([
    ['from first boot to the cluster', FIRST_BOOT, 80],
    ['while a staged config is rolled', STAGED_CHANGE, 60],
    ['while Talos is upgraded', TALOS_UPGRADE, 60],
  ] as const)('%s always converges, bootstrapped once', async (_, scenario, least) => {
    rehearsal = new MachineRehearsal(scenario);
    const { wrong, points } = await cutOffEverywhere(rehearsal, ['before', 'after']);
    console.log(`cut off at ${points} points`);
    expect(wrong).toEqual([]);
    expect(points).toBeGreaterThan(least);
  });
});
