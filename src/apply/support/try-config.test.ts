import { describe, expect, it } from 'vitest';
import { FakeMachine } from '../../../test/support/apply/fake-machine.js';
import { partOf } from '../../../test/support/part-of.js';
import { machineConfigHash } from '../../design/machine-config/meaning.js';
import type { StepOf } from '../../plan/steps.js';
import { changeConfig } from '../steps/machines/change-config.js';

// A healthy node shows its config: 64 KiB of it.
const PADDING = `# ${'x'.repeat(64 * 1024)}\n`;
const configWith = (pods: number) =>
  `version: v1alpha1\nmachine: { type: worker, kubelet: { extraArgs: { max-pods: "${pods}" } } }\n${PADDING}`;
const [OLD, NEW, OTHER] = [configWith(110), configWith(150), configWith(200)];

const step = partOf<StepOf<'change-config'>>({
  kind: 'change-config',
  id: 'change-config:work-1',
  node: 'work-1',
  ip: '10.0.0.51',
  uuid: 'uuid-of-work-1',
  configHash: machineConfigHash(NEW),
  fromHash: machineConfigHash(OLD),
  mode: 'try',
  restarts: { components: ['kubelet'], role: 'worker', others: [], images: [] },
});

const MINUTES = 60_000;

describe('a config that restarts a component', () => {
  it('is tried, and made permanent once the node is healthy', async () => {
    const machine = new FakeMachine(OLD, NEW);
    await expect(changeConfig(step, machine.context)).resolves.toMatchObject({ already: false });
    expect(machine.sent).toEqual(['try', 'no-reboot']);
    expect(machine).toMatchObject({ active: NEW, persistent: NEW });
  });

  it('whose answer was lost is read, not sent once more', async () => {
    const machine = new FakeMachine(OLD, NEW);
    machine.losesAnswer = 'after';
    await changeConfig(step, machine.context);
    expect(machine.sent).toEqual(['try', 'no-reboot']);
    expect(machine).toMatchObject({ active: NEW, persistent: NEW });
  });

  it('that did not arrive stops the roll with the reason; the next run sends it', async () => {
    const machine = new FakeMachine(OLD, NEW);
    machine.losesAnswer = 'before';
    await expect(changeConfig(step, machine.context)).rejects.toMatchObject({
      code: 'apply.answer-lost',
      message: 'work-1 did not keep the new config: its answer was lost (connection reset)',
    });
    expect(machine.sent).toEqual(['try']);
    await changeConfig(step, machine.context);
    expect(machine.sent).toEqual(['try', 'try', 'no-reboot']);
  });

  it('that a run before this one tried and was cut off is judged as it is, and kept', async () => {
    const machine = new FakeMachine(OLD, NEW);
    machine.tries(NEW, 3 * MINUTES);
    await changeConfig(step, machine.context);
    expect(machine.sent).toEqual(['no-reboot']);
    expect(machine.persistent).toBe(NEW);
  });

  it('is sent after another one that is being tried has gone back', async () => {
    const machine = new FakeMachine(OLD, NEW);
    machine.tries(OTHER, 3 * MINUTES);
    await changeConfig(step, machine.context);
    expect(machine.told).toContain('another config is being tried on it; waiting until Talos reverts it');
    expect(machine.sent).toEqual(['try', 'no-reboot']);
    expect(machine.persistent).toBe(NEW);
  });

  it('that Talos reverted while this process was suspended is not made permanent', async () => {
    const machine = new FakeMachine(OLD, NEW);
    machine.suspends = { at: 'health', forMs: 10 * MINUTES };
    await expect(changeConfig(step, machine.context)).rejects.toMatchObject({ code: 'apply.try-ended' });
    expect(machine.sent).toEqual(['try']);
    expect(machine).toMatchObject({ active: OLD, persistent: OLD });
  });

  it('that an earlier run tried, and Talos reverted meanwhile, is tried again', async () => {
    const machine = new FakeMachine(OLD, NEW);
    machine.tries(NEW, 3 * MINUTES);
    machine.suspends = { at: 'health', forMs: 10 * MINUTES };
    await changeConfig(step, machine.context);
    expect(machine.sent).toEqual(['try', 'no-reboot']);
    expect(machine.persistent).toBe(NEW);
  });

  it('is not sent if the config was changed while this process was suspended', async () => {
    const machine = new FakeMachine(OLD, NEW);
    machine.suspends = { at: 'images', forMs: 1 * MINUTES, after: OTHER };
    const pulling = { ...step, restarts: { ...step.restarts, images: [{ image: 'k', kubelet: true }] } };
    await expect(changeConfig(partOf<typeof step>(pulling), machine.context)).rejects.toMatchObject({
      code: 'apply.changed',
    });
    expect(machine.sent).toEqual([]);
  });

  it('that the node is not healthy with is never made permanent', async () => {
    const machine = new FakeMachine(OLD, NEW);
    machine.unmet = 'kubelet is not healthy';
    await expect(changeConfig(step, machine.context)).rejects.toMatchObject({
      code: 'apply.component',
      message: expect.stringMatching(/^kubelet of work-1 is not healthy .*; Talos has reverted it$/),
    });
    expect(machine.sent).toEqual(['try']);
    expect(machine).toMatchObject({ active: OLD, persistent: OLD });
  });

  it('that costs the node a data volume is not kept either', async () => {
    const machine = new FakeMachine(OLD, NEW);
    machine.volumes = [{ id: 'u-media', phase: 'waiting' }];
    // It comes back with the old config.
    machine.unmet = undefined;
    await expect(changeConfig(step, machine.context)).rejects.toThrow('volume media is waiting');
    expect(machine.sent).toEqual(['try']);
    expect(machine.persistent).toBe(OLD);
  });

  it('is not sent to another machine that answers at the address', async () => {
    const machine = new FakeMachine(OLD, NEW);
    machine.uuid = 'another';
    await expect(changeConfig(step, machine.context)).rejects.toMatchObject({ code: 'apply.other-machine' });
    expect(machine.sent).toEqual([]);
  });
});
