/** Every named fault once after every step of a rolling change. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS, type FaultName } from '../../src/lab/faults.js';
import { RunningHerd } from '../support/rolling.js';
import { meetsFault, stepsOf } from '../support/rolling-faults.js';

let herd: RunningHerd;
let steps = 0;
let runs = 0;
const CHANGE = { talos: 'v1.14.1', memory: '6GiB' };

beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 2 });
  steps = await stepsOf(herd, CHANGE);
}, 600_000);
afterAll(() => {
  console.log(`rolling change with faults: ${runs} runs over ${steps} steps`);
  herd.remove();
});

describe('another Talos and more memory for 3 + 2 nodes', () => {
  it.each(Object.keys(FAULTS) as FaultName[])('%s after every step', async (name) => {
    expect(steps).toBeGreaterThan(15);
    const wrong: string[] = [];
    let idle = 0;
    for (let step = 0; step < steps; step += 1) {
      const outcome = await meetsFault(herd, CHANGE, name, step);
      runs += 1;
      if (outcome.idle) idle += 1;
      if (outcome.problems.length > 0) wrong.push(`after step ${step}: ${outcome.problems.join('; ')}`);
    }
    console.log(`${name}: ${steps} runs, ${idle} without an occasion`);
    expect(wrong).toEqual([]);
  });
});
