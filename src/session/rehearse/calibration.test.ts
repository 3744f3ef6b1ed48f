import { describe, expect, it } from 'vitest';
import type { Journal } from '../journal/journal-file.js';
import { calibrated } from './calibration.js';

const head = {
  type: 'journal',
  format: 1,
  runId: 'r',
  command: 'c',
  cluster: 'c',
  startedAt: '',
  lab: false,
} as const;
const run = (ms: number, node = 'cp-1'): Journal => ({
  head,
  events: [
    { type: 'step-started', at: 0, step: `restart-vm:${node}`, title: '', node },
    { type: 'step-done', at: ms, step: `restart-vm:${node}`, ms, already: false, warnings: [] },
    { type: 'step-started', at: 0, step: `end:${node}`, title: '', node },
    { type: 'step-done', at: 1, step: `end:${node}`, ms: 1, already: true, warnings: [] },
  ],
});
const hostOf = (node: string) => (node === 'cp-1' ? 'pve1' : 'pve2');
const step = (node: string, from: number) => ({
  id: `restart-vm:${node}`,
  kind: 'restart-vm',
  title: '',
  node,
  impact: 'restart',
  from,
  to: from + 100,
  state: 'done' as const,
});
const rehearsal = {
  ms: 1_000,
  steps: [step('cp-1', 10), step('cp-2', 500)],
  absences: [
    { node: 'cp-1', reason: '', from: 0, to: 300 },
    { node: 'cp-2', reason: '', from: 400, to: 700 },
  ],
};

describe('durations from journals', () => {
  it('are none before the first run', () => {
    expect(calibrated(rehearsal, [], hostOf)).toBeUndefined();
  });

  it('take the place of the lab’s own, by kind of step and host, else by kind', () => {
    const journals = [...Array.from({ length: 9 }, () => run(200)), run(900), run(5_000, 'cp-3')];
    expect(calibrated(rehearsal, journals, hostOf)).toEqual({
      runs: 11,
      away: [
        { node: 'cp-1', p50: 400, p90: 400 },
        { node: 'cp-2', p50: 5_200, p90: 5_200 },
      ],
      ms: { p50: 1_000 + 100 + 4_900, p90: 1_000 + 100 + 4_900 },
    });
    const slow = [run(200), run(900)];
    expect(calibrated(rehearsal, slow, hostOf)?.away[0]).toEqual({ node: 'cp-1', p50: 400, p90: 1_100 });
  });

  it('leave out a wait for a node that nothing in its run has restarted', () => {
    const wait = (alone: boolean): Journal => {
      const events = run(200).events.map((event) =>
        'step' in event && event.step.startsWith('end:')
          ? {
              ...event,
              step: 'end-disruption:cp-1',
              ...(event.type === 'step-done' && { already: false, ms: 7 }),
            }
          : event,
      );
      return { head, events: alone ? events.slice(2) : events };
    };
    const of = (journal: Journal) => {
      const steps = [{ ...step('cp-1', 10), kind: 'end-disruption' }];
      return calibrated({ ...rehearsal, steps }, [run(100), journal], hostOf)?.away[0]?.p50;
    };
    expect([of(wait(true)), of(wait(false))]).toEqual([300, 207]);
  });
});
