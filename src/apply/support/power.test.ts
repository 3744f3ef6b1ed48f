import { expect, it } from 'vitest';
import { fakeVms, ownValues } from '../../../test/support/apply/fake-vms.js';
import { partOf } from '../../../test/support/part-of.js';
import { TIMING } from '../../lab/talos/timing.js';
import type { StepContext } from './context.js';
import { powerOff } from './power.js';

it('gives Talos the time to drain its node before a VM is forced off', async () => {
  let seconds = 0;
  const { context, vms } = fakeVms({ 151: { values: ownValues(151) } });
  const shutdownVm = async (_permit: unknown, _host: string, vmid: number, { timeoutSeconds = 0 } = {}) => {
    seconds = timeoutSeconds;
    if (vms[vmid]) vms[vmid].status = 'stopped';
  };
  const client = { ...context.client, down: { shutdownVm } };
  expect(
    await powerOff(partOf<StepContext>({ ...context, client } as object), { host: 'pve1', vmid: 151 }),
  ).toBe(true);
  expect(seconds * 1000).toBeGreaterThan(TIMING.drain + TIMING.stop);
});
