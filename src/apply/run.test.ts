import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../model/events.js';
import { UncaughtError } from '../model/uncaught-error.js';
import type { Plan } from '../plan/plan.js';
import { runPlan } from './run.js';

const step = (id: string, needs: readonly string[]) => ({
  id,
  kind: 'create-pool',
  title: id,
  needs,
  impact: 'none',
  load: {},
  reasons: [],
});

function run(
  steps: readonly unknown[],
  signal = new AbortController().signal,
  show: (event: RunEvent) => void = () => {},
) {
  const events: RunEvent[] = [];
  const plan = { action: 'converge', steps } as unknown as Plan;
  const options = {
    runId: 'r',
    clock: { now: () => 0, elapsed: () => 0, sleep: async () => {} },
    client: {},
    lock: { gate: { open: async () => {} }, lost: new AbortController().signal },
    signal,
    emit: (event: RunEvent) => {
      events.push(event);
      show(event);
    },
  } as unknown as Parameters<typeof runPlan>[1];
  return { events, ended: runPlan(plan, options) };
}

describe('steps that nothing lets start', () => {
  it.each([
    ['wait for each other', [step('a', ['b']), step('b', ['a'])], 'a → b → a'],
    ['wait for one that is not there', [step('a', []), step('b', ['c'])], 'b → c'],
  ])(
    'because they %s are refused before the first one, and that is no interruption',
    async (_, steps, chain) => {
      const { events, ended } = run(steps);
      await expect(ended).rejects.toMatchObject({
        code: 'apply.plan-order',
        message: `steps of this plan wait for each other: ${chain}`,
      });
      expect(events).toEqual([]);
    },
  );

  it('after one that failed end the run as failed', async () => {
    // There is no client to make the pool with.
    const { ended } = run([step('a', []), step('b', ['a'])]);
    expect(await ended).toEqual({ outcome: 'failed', done: [], failed: ['a'], notStarted: ['b'] });
  });

  it('are an interruption only where the user interrupted', async () => {
    const { ended } = run([step('a', [])], AbortSignal.abort());
    expect(await ended).toMatchObject({ outcome: 'interrupted', notStarted: ['a'] });
  });

  it('are a failure where an error that nothing caught stopped the run', async () => {
    const { ended } = run([step('a', [])], AbortSignal.abort(new UncaughtError(new Error('planted'))));
    expect(await ended).toMatchObject({ outcome: 'failed', notStarted: ['a'] });
  });
});

describe('events that cannot be shown', () => {
  it('end the run with that error after the steps that run, and start no further step', async () => {
    const { events, ended } = run([step('a', []), step('b', []), step('c', ['a'])], undefined, (event) => {
      if (event.type === 'step-started' && event.step === 'a') throw new Error('the view is broken');
    });
    await expect(ended).rejects.toThrow('the view is broken');
    expect(events.at(-1)).toMatchObject({
      type: 'run-ended',
      result: { outcome: 'failed', notStarted: ['c'] },
    });
  });
});
