import { describe, expect, it } from 'vitest';
import { fakeVms } from '../../../../test/support/apply/fake-vms.js';
import { step } from '../../../../test/support/apply/step.js';
import type { Vmid } from '../../../model/identity.js';
import type { ValueChange } from '../../../plan/steps.js';
import { setOptions } from './set-options.js';

const set = (changes: Record<string, ValueChange>, guest?: { readonly ip: string }) =>
  step('set-options', { vmid: 151 as Vmid, host: 'pve1', changes, ...(guest && { guest }) });

describe('setting options of a VM', () => {
  it('writes what is still open, and deletes what shall go', async () => {
    const { context, vms, writes } = fakeVms({ 151: { values: { memory: '4096', cores: '4', vga: 'std' } } });
    const changes = {
      memory: { from: '4096', to: '6144' },
      cores: { from: '2', to: '4' },
      vga: { from: 'std' },
    };
    expect(await setOptions(set(changes), context)).toEqual({ already: false });
    expect(vms[151]?.values).toEqual({ memory: '6144', cores: '4' });
    expect(writes).toEqual(['updateVm 151 {"set":{"memory":"6144"},"delete":["vga"]}']);
  });

  it('that are set writes nothing', async () => {
    const { context, writes } = fakeVms({ 151: { values: { memory: '6144' } } });
    expect(await setOptions(set({ memory: { from: '4096', to: '6144' } }), context)).toEqual({
      already: true,
    });
    expect(writes).toEqual([]);
  });

  it('counts a value that waits for the next start as set', async () => {
    const { context } = fakeVms({ 151: { values: { memory: '4096' }, pending: { memory: '6144' } } });
    expect(await setOptions(set({ memory: { from: '4096', to: '6144' } }), context)).toEqual({
      already: true,
    });
  });

  it('refuses a value that was changed since the plan', async () => {
    const { context, writes } = fakeVms({ 151: { values: { memory: '8192' } } });
    await expect(setOptions(set({ memory: { from: '4096', to: '6144' } }), context)).rejects.toMatchObject({
      code: 'apply.changed',
      message: 'memory of VM 151 is 8192, the plan found 4096',
    });
    expect(writes).toEqual([]);
  });

  it('reads back what was written', async () => {
    const { context } = fakeVms({ 151: { values: { memory: '4096' } } }, { deaf: true });
    await expect(setOptions(set({ memory: { from: '4096', to: '6144' } }), context)).rejects.toMatchObject({
      code: 'apply.not-as-written',
    });
  });

  describe('on a NIC', () => {
    const changes = { net0: { from: 'virtio,bridge=vmbr0', to: 'virtio,bridge=vmbr0,tag=7' } };
    const asked: string[] = [];
    /** Nothing passes with the new value. */
    const broken = (status: 'running' | 'stopped') => {
      asked.length = 0;
      const fake = fakeVms({ 151: { values: { net0: changes.net0.from }, status } });
      const silent = {
        etcd: {},
        applyConfiguration: async () => {
          throw new Error('no answer from this address');
        },
      };
      const admin = (ip: string) => {
        asked.push(ip);
        return silent;
      };
      const machines = { talos: { admin }, configOf: () => 'version: v1alpha1\n' };
      return { ...fake, context: { ...fake.context, machines } as never };
    };

    it('takes back what the running machine does not answer with', async () => {
      const { context, vms } = broken('running');
      await expect(setOptions(set(changes, { ip: '10.0.0.51' }), context)).rejects.toThrow(
        /no answer from this address; net0 of VM 151 was restored/,
      );
      expect(asked).toContain('10.0.0.51');
      expect(vms[151]?.values.net0).toBe(changes.net0.from);
    });

    it('keeps what it wrote to a VM that is off: there is no machine to ask', async () => {
      const { context, vms } = broken('stopped');
      expect(await setOptions(set(changes, { ip: '10.0.0.51' }), context)).toEqual({ already: false });
      expect(asked).toEqual([]);
      expect(vms[151]?.values.net0).toBe(changes.net0.to);
    });
  });
});
