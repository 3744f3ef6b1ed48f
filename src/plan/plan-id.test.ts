import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { differingSteps, type Identified, planIdOf } from './plan-id.js';

const STEPS = [
  { id: 'stop-vm:1', title: 'stop', needs: [], vmid: 1, impact: 'restart' },
  { id: 'start-vm:1', title: 'start', needs: ['stop-vm:1'], vmid: 1, impact: 'none' },
];

const base: Identified = {
  cluster: { name: 'herd', env: '' },
  action: 'apply',
  desired: 'd',
  steps: STEPS,
};

const withStep = (change: object): Identified => ({
  ...base,
  steps: base.steps.map((step, index) => (index === 0 ? { ...step, ...change } : step)),
});

describe('the id of a plan', () => {
  it('does not follow words for people', () => {
    for (const words of [{ title: 'halt' }, { reasons: ['why'] }, { load: { host: 'a' } }, { diff: '+ a' }])
      expect(planIdOf(withStep(words))).toBe(planIdOf(base));
  });

  it('follows every parameter, need, impact and observed value', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('vmid', 'impact', 'host', 'action'),
        fc.string({ minLength: 1, maxLength: 4 }),
        (key, value) => {
          expect(planIdOf(withStep({ [key]: `other ${value}` }))).not.toBe(planIdOf(base));
        },
      ),
    );
    expect(planIdOf(withStep({ needs: ['x:1'] }))).not.toBe(planIdOf(base));
    expect(planIdOf(withStep({ relies: { 'vm 1': 'running on a' } }))).not.toBe(planIdOf(base));
    expect(planIdOf({ ...base, desired: 'e' })).not.toBe(planIdOf(base));
    expect(planIdOf({ ...base, cluster: { name: 'other', env: '' } })).not.toBe(planIdOf(base));
  });

  it('is the same with the needs in another order and with other secrets on a data VM', () => {
    const notes = (secrets: string) => withStep({ options: { description: `text\nsecrets ${secrets}\n` } });
    expect(planIdOf(notes('0123456789abcdef'))).toBe(planIdOf(notes('fedcba9876543210')));
    expect(planIdOf(withStep({ needs: ['a:1', 'b:1'] }))).toBe(planIdOf(withStep({ needs: ['b:1', 'a:1'] })));
  });

  it('says which steps are others', () => {
    const { steps } = base;
    expect(differingSteps(base, base)).toEqual([]);
    expect(differingSteps(base, withStep({ vmid: 2 }))).toEqual(['~ stop-vm:1: vmid 1 → 2']);
    expect(differingSteps(base, { ...base, steps: steps.slice(1) })).toEqual([
      '- stop-vm:1: no longer needed',
    ]);
    expect(differingSteps({ ...base, steps: steps.slice(1) }, base)).toEqual([
      '+ stop-vm:1: not in the saved plan',
    ]);
  });
});
