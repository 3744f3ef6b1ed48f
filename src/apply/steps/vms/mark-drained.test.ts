import { describe, expect, it } from 'vitest';
import { fakeVms, ownValues } from '../../../../test/support/apply/fake-vms.js';
import { step } from '../../../../test/support/apply/step.js';
import type { Vmid } from '../../../model/identity.js';
import { markDrained } from './mark-drained.js';
import { unmarkDrained } from './unmark-drained.js';

const vm = { vmid: 151 as Vmid, host: 'pve1' };
const mark = step('mark-drained', { ...vm, drainedFrom: 'pve1', forSeconds: 3600 });
const unmark = step('unmark-drained', vm);
const NOTE = 'drained-from pve1 until 2026-01-01T01:00:00Z';

describe('noting that a host is drained', () => {
  it('keeps what else the description says, and ends when the host is back', async () => {
    const { context, vms } = fakeVms({ 151: { values: { ...ownValues(151), description: 'rack 4' } } });
    expect(await markDrained(mark, context)).toEqual({ already: false });
    expect(vms[151]?.values.description).toBe(`rack 4\n${NOTE}`);
    expect(await unmarkDrained(unmark, context)).toEqual({ already: false });
    expect(vms[151]?.values.description).toBe('rack 4');
  });

  it('writes nothing that is noted already', async () => {
    const description = `rack 4\n${NOTE}`;
    const { context, writes } = fakeVms({ 151: { values: { ...ownValues(151), description } } });
    expect(await markDrained(mark, context)).toEqual({ already: true });
    expect(writes).toEqual([]);
  });

  it('takes off nothing that is not noted', async () => {
    const { context, writes } = fakeVms({ 151: { values: { ...ownValues(151), description: 'rack 4' } } });
    expect(await unmarkDrained(unmark, context)).toEqual({ already: true });
    expect(writes).toEqual([]);
  });

  it.each([
    ['without our tag', { description: NOTE }],
    ['with our tag and another identity', { ...ownValues(152), description: NOTE }],
  ])('leaves a VM alone that took the id, %s', async (_, values) => {
    const { context, writes } = fakeVms({ 151: { values } });
    for (const write of [() => markDrained(mark, context), () => unmarkDrained(unmark, context)])
      await expect(write()).rejects.toMatchObject({
        code: 'apply.vm-foreign',
        message: 'VM 151 was created since the plan, and it is not a VM of this cluster',
      });
    expect(writes).toEqual([]);
  });
});
