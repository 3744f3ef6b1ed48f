import { describe, expect, it } from 'vitest';
import { FakeMachine } from '../../../../test/support/apply/fake-machine.js';
import { partOf } from '../../../../test/support/part-of.js';
import type { StepOf } from '../../../plan/steps.js';
import { awaitMachine } from './await-machine.js';
import { endDisruption } from './end-disruption.js';

const common = { node: 'work-1', ip: '10.0.0.51', role: 'worker' as const, vmid: 151, host: 'pve1' };
const back = partOf<StepOf<'end-disruption'>>({ ...common, kind: 'end-disruption' });
const ready = partOf<StepOf<'await-machine'>>({ ...common, kind: 'await-machine' });

const machineWith = (...volumes: FakeMachine['volumes']) => {
  const machine = new FakeMachine('version: v1alpha1\n', '');
  machine.volumes = volumes;
  return machine;
};

describe('a node without one of its volumes', () => {
  it.each([
    ['its data volume', { id: 'u-media', phase: 'waiting' }, 'volume media is waiting'],
    ['EPHEMERAL', { id: 'EPHEMERAL', phase: 'failed' }, 'volume EPHEMERAL is failed'],
  ])('%s is neither ready nor back: the roll stops there', async (_, volume, why) => {
    const { context } = machineWith(volume);
    await expect(endDisruption(back, context)).rejects.toMatchObject({
      code: 'apply.not-back',
      message: `work-1 did not come back: ${why}`,
    });
    await expect(awaitMachine(ready, context)).rejects.toMatchObject({ code: 'apply.not-ready' });
  });

  it('is waited for, and is back with it', async () => {
    const machine = machineWith({ id: 'u-media', phase: 'waiting' });
    const { context } = machine;
    const { sleep } = context.clock;
    let slept = 0;
    const clock = {
      ...context.clock,
      sleep: async (ms: number) => {
        slept += 1;
        if (slept === 3) machine.volumes = [{ id: 'u-media', phase: 'ready' }];
        await sleep(ms);
      },
    };
    expect(await endDisruption(back, { ...context, clock })).toEqual({ already: false });
    expect(machine.told).toEqual(['volume media is waiting']);
  });

  it('volumes that are not of the cluster do not count', async () => {
    const { context } = machineWith({ id: 'META', phase: 'waiting' }, { id: 'u-media', phase: 'ready' });
    expect(await awaitMachine(ready, context)).toEqual({ already: true });
  });
});
