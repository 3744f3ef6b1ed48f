/** Every point at which a run can be cut off, and every occasion of every fault; then the next run sets all right. */
import { afterEach, describe, expect, it } from 'vitest';
import type { FaultName } from '../../src/lab/faults.js';
import { cutOffAll, faultAll, lossAll, Rehearsal, type Scenario } from '../support/crash.js';
import { HAND_OVER, NEW_CLUSTER, NEW_NAMES, STORAGE_MOVE, VOLUME_DELETE } from '../support/scenarios.js';
import { series } from '../support/shard.js';

let rehearsal: Rehearsal;
afterEach(() => rehearsal.dispose());

const THIS_SHARE = series({ exhaustive: 4 });

const scenarios: [string, Scenario, number][] = [
  ['a new 2+2 cluster', NEW_CLUSTER, 160],
  ['a storage move', STORAGE_MOVE, 60],
  ['volumes delete', VOLUME_DELETE, 30],
  ['a disk that goes to the data VM', HAND_OVER, 60],
  ['the new names of an old cluster', NEW_NAMES, 40],
];

describe('a run that is cut off before and after every single request', () => {
  it.each(scenarios)('%s always converges, with every disk once', async (what, scenario, least) => {
    rehearsal = new Rehearsal(scenario);
    const { wrong, points, inAll } = await cutOffAll(rehearsal, what, ['before', 'after'], THIS_SHARE);
    console.log(`${what}: cut off at ${points} points, ${wrong.length} wrong`);
    expect(wrong).toEqual([]);
    expect(inAll).toBeGreaterThan(least);
  });
});

describe('a fault that strikes once at each of its occasions', () => {
  it.each<[FaultName, number]>([
    ['api-error', 80],
    ['api-timeout', 80],
    ['drop-before', 80],
    ['drop-after', 80],
    ['lock-timeout', 4],
    ['task-fails', 12],
    ['task-warns', 12],
    ['task-hangs', 12],
    ['storage-full', 8],
    ['download-fails', 1],
  ])('%s', async (name, least) => {
    rehearsal = new Rehearsal(NEW_CLUSTER);
    const { wrong, points, inAll } = await faultAll(
      rehearsal,
      name,
      name,
      least < 20 ? series({}) : THIS_SHARE,
    );
    console.log(`${name}: struck at ${points} occasions, ${wrong.length} wrong`);
    expect(wrong).toEqual([]);
    expect(inAll).toBeGreaterThanOrEqual(least);
  });
});

describe('a loss before every single request, until the run has ended', () => {
  it.each(['host-down', 'no-quorum'] as const)('%s', async (name) => {
    rehearsal = new Rehearsal(NEW_CLUSTER);
    const { wrong, points, inAll } = await lossAll(rehearsal, name, name, THIS_SHARE);
    console.log(`${name}: from each of ${points} requests on, ${wrong.length} wrong`);
    expect(wrong).toEqual([]);
    expect(inAll).toBeGreaterThan(80);
  });
});
