import { describe, expect, it } from 'vitest';
import { CONFIRMED } from '../../../test/support/apply/confirmed-guard.js';
import { fakeVms, ownValues } from '../../../test/support/apply/fake-vms.js';
import { permitDown } from './guard.js';

const HOUR = 3_600_000;
const TARGET = { vmid: 151, host: 'pve1' };

/** Suspended for an hour while the lock is read, so many times. */
function suspended(times: number) {
  const { context } = fakeVms({ 151: { values: ownValues(151) } });
  const { client } = context;
  let checks = 0;
  let left = times;
  const lock = {
    open: async () => {
      left -= 1;
      if (left >= 0) await context.clock.sleep(HOUR);
    },
  };
  const vmStatus: typeof client.vmStatus = (...args) => {
    checks += 1;
    return client.vmStatus(...args);
  };
  return {
    context: { ...context, guard: { ...CONFIRMED, lock }, client: { ...client, vmStatus } },
    checks: () => checks,
  };
}

describe('a permit to take a node down', () => {
  it('rests on one round of checks', async () => {
    const { context, checks } = suspended(0);
    (await permitDown(context, TARGET)).spend('vm 151');
    expect(checks()).toBe(1);
  });

  it('rests on new checks if the process was suspended after the last ones', async () => {
    const { context, checks } = suspended(1);
    (await permitDown(context, TARGET)).spend('vm 151');
    expect(checks()).toBe(2);
  });

  it('is not valid if the checks are always too old, and the message says so', async () => {
    const { context } = suspended(Number.POSITIVE_INFINITY);
    const permit = await permitDown(context, TARGET);
    expect(() => permit.spend('vm 151')).toThrow(
      expect.objectContaining({ code: 'guard.too-old', advice: 'nothing was sent; run apply again' }),
    );
  });

  it('is no longer valid after an hour of suspension', async () => {
    const { context } = suspended(0);
    const permit = await permitDown(context, TARGET);
    await context.clock.sleep(HOUR);
    expect(() => permit.spend('vm 151')).toThrow('the checks for it are 60 min old');
  });
});
