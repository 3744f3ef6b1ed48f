/** A sample; every point of every scenario and fault is in test/exhaustive/crash.test.ts. */
import { afterAll, describe, expect, it } from 'vitest';
import type { FaultName } from '../../src/lab/faults.js';
import { type Cut, cutOffAll, Rehearsal } from '../support/crash.js';
import { HAND_OVER, NEW_CLUSTER, NEW_NAMES, STORAGE_MOVE, VOLUME_DELETE } from '../support/scenarios.js';
import { series } from '../support/shard.js';

const rehearsals: Rehearsal[] = [];
function rehearsal(scenario: ConstructorParameters<typeof Rehearsal>[0]): Rehearsal {
  const made = new Rehearsal(scenario);
  rehearsals.push(made);
  return made;
}
afterAll(() => {
  for (const made of rehearsals) made.dispose();
});

const cluster = rehearsal(NEW_CLUSTER);

describe('a run that is cut off', () => {
  // Spread over making data VMs, VMs, starts and the end.
  it.each<[Cut, number]>([
    ['before', 0],
    ['after', 31],
    ['before', 45],
    ['after', 90],
  ])('%s request %i is set right by the next one', async (cut, requests) => {
    expect(await cluster.cutOff(requests, cut)).toEqual({ cut: true, problems: [] });
  });
});

describe('a fault', () => {
  it.each<[FaultName, number]>([
    ['api-error', 30],
    ['drop-after', 33],
    ['task-fails', 3],
    ['storage-full', 2],
  ])('%s at its occasion %i is set right by the next run', async (name, occasion) => {
    expect(await cluster.withFault(name, occasion)).toEqual({ cut: true, problems: [] });
  });
});

describe('a loss in the middle of a run', () => {
  it.each<['host-down' | 'no-quorum', number]>([
    ['host-down', 40],
    ['no-quorum', 60],
  ])('%s before request %i is set right by the next run', async (name, requests) => {
    expect(await cluster.withLoss(name, requests)).toEqual({ cut: true, problems: [] });
  });
});

/** Every so many requests, the last included. */
describe.each([
  ['a storage move', STORAGE_MOVE, 25],
  ['volumes delete', VOLUME_DELETE, 4],
  ['a disk that goes to the data VM', HAND_OVER, 25],
  ['the new names of an old cluster', NEW_NAMES, 15],
] as const)('%s', (what, scenario, test) => {
  it('can be cut off anywhere', async () => {
    const { wrong, points } = await cutOffAll(rehearsal(scenario), what, ['after'], series({ test }));
    expect(wrong).toEqual([]);
    expect(points).toBeGreaterThan(2);
  });
});
