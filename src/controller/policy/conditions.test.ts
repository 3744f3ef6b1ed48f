import { expect, it } from 'vitest';
import { fails, holds, settled, stalled, withConditions } from './conditions.js';

const at = (now: number, generation = 1) => ({ now, generation });

it('keeps the time of a transition while the status stays, and the conditions that are not given', () => {
  const first = withConditions([], { Ready: fails('A', 'a'), Drifted: holds('B') }, at(0));
  const second = withConditions(first, { Ready: fails('C', 'c') }, at(60_000, 2));
  expect(second).toEqual([
    {
      type: 'Ready',
      status: 'False',
      reason: 'C',
      message: 'c',
      lastTransitionTime: '1970-01-01T00:00:00Z',
      observedGeneration: 2,
    },
    {
      type: 'Drifted',
      status: 'True',
      reason: 'B',
      message: '',
      lastTransitionTime: '1970-01-01T00:00:00Z',
      observedGeneration: 1,
    },
  ]);
  expect(withConditions(second, settled('ok'), at(90_000))[0]).toMatchObject({
    status: 'True',
    lastTransitionTime: '1970-01-01T00:01:30Z',
  });
});

it('is never stalled and ready at once', () => {
  expect(stalled('X', 'y')).toMatchObject({
    Ready: { status: 'False' },
    Stalled: { status: 'True' },
    Reconciling: { status: 'False' },
  });
});
