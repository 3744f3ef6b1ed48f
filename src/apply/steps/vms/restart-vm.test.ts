import { describe, expect, it } from 'vitest';
import { fakeVms, ownValues } from '../../../../test/support/apply/fake-vms.js';
import type { Vmid } from '../../../model/identity.js';
import type { StepOf } from '../../../plan/steps.js';
import { restartVm } from './restart-vm.js';

const step = (asked: boolean) =>
  ({ kind: 'restart-vm', vmid: 151 as Vmid, host: 'pve1', asked }) as StepOf<'restart-vm'>;

describe('restarting a VM', () => {
  it('is not done where nothing waits for it', async () => {
    const { context, writes } = fakeVms({ 151: { values: { memory: '6144' }, status: 'running' } });
    expect(await restartVm(step(false), context)).toEqual({ already: true });
    expect(writes).toEqual([]);
  });

  it('is done where it was requested', async () => {
    const { context, writes } = fakeVms({ 151: { values: ownValues(151), status: 'running' } });
    expect(await restartVm(step(true), context)).toEqual({ already: false });
    expect(writes).toEqual(['shutdownVm 151', 'startVm 151']);
  });

  it('only starts one that an interrupted run left stopped', async () => {
    const { context, writes } = fakeVms({ 151: { values: {}, status: 'stopped' } });
    expect(await restartVm(step(false), context)).toEqual({ already: false });
    expect(writes).toEqual(['startVm 151']);
  });

  it('names what still waits afterwards', async () => {
    const { context } = fakeVms({
      151: { values: ownValues(151), pending: { memory: '6144' }, status: 'running' },
    });
    await expect(restartVm(step(false), context)).rejects.toMatchObject({
      code: 'apply.still-pending',
      message: 'VM 151 was restarted, but memory is still pending',
    });
  });

  it('gives up on a VM that does not stop, and does not start it', async () => {
    const { context, writes } = fakeVms(
      { 151: { values: ownValues(151), status: 'running' } },
      { deaf: true },
    );
    await expect(restartVm(step(true), context)).rejects.toMatchObject({ code: 'apply.power' });
    expect(writes).toEqual(['shutdownVm 151']);
  });
});
