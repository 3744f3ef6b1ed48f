import { describe, expect, it } from 'vitest';
import { fakeVms } from '../../../../test/support/apply/fake-vms.js';
import type { Vmid } from '../../../model/identity.js';
import type { StepOf, ValueChange } from '../../../plan/steps.js';
import { setOptions } from './set-options.js';

function step(changes: Record<string, ValueChange>): StepOf<'set-options'> {
  return {
    kind: 'set-options',
    vmid: 151 as Vmid,
    host: 'pve1',
    changes,
  } as unknown as StepOf<'set-options'>;
}

describe('setting options of a VM', () => {
  it('writes what is still open, and deletes what shall go', async () => {
    const { context, vms, writes } = fakeVms({ 151: { values: { memory: '4096', cores: '4', vga: 'std' } } });
    const changes = {
      memory: { from: '4096', to: '6144' },
      cores: { from: '2', to: '4' },
      vga: { from: 'std' },
    };
    expect(await setOptions(step(changes), context)).toEqual({ already: false });
    expect(vms[151]?.values).toEqual({ memory: '6144', cores: '4' });
    expect(writes).toEqual(['updateVm 151 {"set":{"memory":"6144"},"delete":["vga"]}']);
  });

  it('that are set writes nothing', async () => {
    const { context, writes } = fakeVms({ 151: { values: { memory: '6144' } } });
    expect(await setOptions(step({ memory: { from: '4096', to: '6144' } }), context)).toEqual({
      already: true,
    });
    expect(writes).toEqual([]);
  });

  it('counts a value that waits for the next start as set', async () => {
    const { context } = fakeVms({ 151: { values: { memory: '4096' }, pending: { memory: '6144' } } });
    expect(await setOptions(step({ memory: { from: '4096', to: '6144' } }), context)).toEqual({
      already: true,
    });
  });

  it('refuses a value that was changed since the plan', async () => {
    const { context, writes } = fakeVms({ 151: { values: { memory: '8192' } } });
    await expect(setOptions(step({ memory: { from: '4096', to: '6144' } }), context)).rejects.toMatchObject({
      code: 'apply.changed',
      message: 'memory of VM 151 is 8192, the plan found 4096',
    });
    expect(writes).toEqual([]);
  });

  it('reads back what was written', async () => {
    const { context } = fakeVms({ 151: { values: { memory: '4096' } } }, { deaf: true });
    await expect(setOptions(step({ memory: { from: '4096', to: '6144' } }), context)).rejects.toMatchObject({
      code: 'apply.not-as-written',
    });
  });
});
