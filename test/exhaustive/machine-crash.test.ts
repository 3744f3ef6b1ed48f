import { afterEach, describe, expect, it } from 'vitest';
import { cutOffEverywhere, MachineRehearsal } from '../support/machine-crash.js';
import { FIRST_BOOT, STAGED_CHANGE, TALOS_UPGRADE, TRIED_CHANGE } from '../support/machine-scenarios.js';
import { series } from '../support/shard.js';

describe('a run with machines that is cut off', () => {
  let rehearsal: MachineRehearsal | undefined;
  afterEach(() => rehearsal?.dispose());

  it.each([
    ['from first boot to the cluster', FIRST_BOOT, 4, 130],
    ['while a staged config is rolled', STAGED_CHANGE, 4, 80],
    ['while a config is tried', TRIED_CHANGE, 6, 70],
    ['while Talos is upgraded', TALOS_UPGRADE, 6, 110],
  ] as const)('%s always converges, bootstrapped once', async (what, scenario, exhaustive, least) => {
    rehearsal = new MachineRehearsal(scenario);
    const share = series({ exhaustive });
    const { wrong, points, inAll } = await cutOffEverywhere(rehearsal, what, ['before', 'after'], share);
    console.log(`cut off at ${points} points`);
    expect(wrong).toEqual([]);
    expect(inAll).toBeGreaterThan(least);
  });
});
