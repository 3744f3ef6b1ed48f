import { describe, expect, it } from 'vitest';
import { storyText } from '../../cli/views/runs.js';
import type { RunEvent } from '../../model/events.js';
import { storyOf } from './run-story.js';
import { describeRun } from './run-summary.js';

const head = {
  type: 'journal',
  format: 1,
  runId: 'r1',
  command: 'oxherd apply',
  cluster: 'c',
  startedAt: '',
  lab: true,
};
const done = (step: string, at: number): RunEvent => ({
  type: 'step-done',
  at,
  step,
  ms: 1,
  already: false,
  warnings: [],
});
const started = (step: string, at: number): RunEvent => ({
  type: 'step-started',
  at,
  step,
  title: step,
  node: 'cp-1',
});

const EVENTS: RunEvent[] = [
  { type: 'run-started', at: 100, runId: 'r1', steps: 3 },
  started('drain', 100),
  { type: 'step-progress', at: 105, step: 'drain', message: 'waits for the budget' },
  { type: 'step-progress', at: 110, step: 'drain', message: 'waits for the budget' },
  done('drain', 120),
  { type: 'node-away', at: 120, node: 'cp-1', reason: 'drain cp-1' },
  started('upgrade', 120),
  {
    type: 'step-failed',
    at: 150,
    step: 'upgrade',
    ms: 30,
    error: { code: 'x', message: 'it did not come back', advice: 'look at it' },
  },
  {
    type: 'run-ended',
    at: 150,
    ms: 50,
    result: { outcome: 'failed', done: ['drain'], failed: ['upgrade'], notStarted: ['return'] },
  },
];

describe('the story of a run', () => {
  it('tells what was done when, what it waited for, and what stopped it', () => {
    const story = storyOf({ head, events: EVENTS } as never);
    expect(story.ms).toBe(50);
    expect(story.acts).toEqual([
      {
        step: 'drain',
        title: 'drain',
        node: 'cp-1',
        from: 0,
        ms: 20,
        state: 'done',
        said: ['waits for the budget'],
      },
      {
        step: 'upgrade',
        title: 'upgrade',
        node: 'cp-1',
        from: 20,
        ms: 30,
        state: 'failed',
        after: 'drain',
        said: [],
        error: { code: 'x', message: 'it did not come back', advice: 'look at it' },
      },
    ]);
    expect(story.absences).toEqual([{ node: 'cp-1', reason: 'drain cp-1', from: 20 }]);
    expect(story.notStarted).toEqual(['return']);
  });

  it('of a run that was interrupted has each step once: begun, or not started', () => {
    const result = { outcome: 'interrupted', done: ['drain'], failed: [], notStarted: ['upgrade', 'return'] };
    const events = [...EVENTS.slice(0, 7), { type: 'run-ended', at: 150, ms: 50, result }];
    const journal = { head, events } as never;
    expect(storyOf(journal).notStarted).toEqual(['return']);
    const details = describeRun(journal);
    expect(details).toMatchObject({ done: 1, unfinished: 1, notStarted: 1 });
    const extras = { planned: new Map([['return', 'uncordon cp-1']]), resume: 'oxherd --lab apply' };
    const text = storyText(details, storyOf(journal), false, extras);
    expect(text).toContain('1 of 3 done, 1 not finished, 1 not started\n  not started: uncordon cp-1');
    expect(text).toMatch(/next {2}resume with: oxherd --lab apply$/);
  });

  it('of a run whose process was killed ends where its journal does', () => {
    const story = storyOf({ head, events: EVENTS.slice(0, 7) } as never);
    expect(story.acts.at(-1)).toMatchObject({ step: 'upgrade', state: 'unfinished' });
    expect(story.notStarted).toEqual([]);
  });
});
