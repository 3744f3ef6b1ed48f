/** A journal in short: what a person asks of a run that is over. */
import { type Absence, downtimesIn, type TimeAway, timeAway } from '../../model/downtime.js';
import type { RunEvent, RunResult } from '../../model/events.js';
import type { Journal, Prediction } from './journal-file.js';

export interface RunSummary {
  readonly runId: string;
  readonly startedAt: string;
  readonly command: string;
  readonly cluster: string;
  readonly lab: boolean;
  /** `unfinished`: its process was killed, or it still runs. */
  readonly outcome: RunResult['outcome'] | 'unfinished';
  readonly steps: number;
  readonly done: number;
  readonly failed: number;
  /** Started, and cut off by an interruption or with the process. */
  readonly unfinished: number;
  readonly notStarted: number;
  readonly ms: number;
  readonly away: readonly TimeAway[];
  /** What a rehearsal of the same plan said before. */
  readonly predicted?: Pick<Prediction, 'ms' | 'away'>;
}

export interface StepRecord {
  readonly step: string;
  readonly title: string;
  readonly node?: string;
  readonly state: 'done' | 'already' | 'failed' | 'unfinished';
  readonly ms?: number;
  readonly warnings: readonly string[];
  readonly error?: { readonly code: string; readonly message: string; readonly advice?: string };
}

export interface RunDetails extends RunSummary {
  readonly records: readonly StepRecord[];
  readonly absences: readonly Absence[];
}

export function summarise({ head, events, prediction }: Journal): RunSummary {
  const { runId, startedAt, command, cluster, lab } = head;
  const started = events.find((event) => event.type === 'run-started');
  const ended = events.find((event) => event.type === 'run-ended');
  const records = stepRecords(events);
  const done = records.filter((record) => record.state === 'done' || record.state === 'already').length;
  const failed = records.filter((record) => record.state === 'failed').length;
  const steps = started?.steps ?? 0;
  const last = events.at(-1)?.at ?? 0;
  return {
    runId,
    startedAt,
    command,
    cluster,
    lab,
    outcome: ended?.result.outcome ?? 'unfinished',
    steps,
    done,
    failed,
    unfinished: records.filter((record) => record.state === 'unfinished').length,
    notStarted: Math.max(0, steps - records.length),
    ms: ended?.ms ?? last - (started?.at ?? last),
    away: timeAway(downtimesIn(events), last),
    ...(prediction && { predicted: { ms: prediction.ms, away: prediction.away } }),
  };
}

export function describeRun(journal: Journal): RunDetails {
  return {
    ...summarise(journal),
    records: stepRecords(journal.events),
    absences: downtimesIn(journal.events),
  };
}

function stepRecords(events: readonly RunEvent[]): StepRecord[] {
  const records = new Map<string, StepRecord>();
  for (const event of events) {
    if (event.type === 'step-started') {
      const { step, title, node } = event;
      records.set(step, {
        step,
        title,
        ...(node !== undefined && { node }),
        state: 'unfinished',
        warnings: [],
      });
    }
    if (event.type !== 'step-done' && event.type !== 'step-failed') continue;
    const { step, ms } = event;
    const before = records.get(step) ?? { step, title: step, state: 'unfinished', warnings: [] };
    records.set(
      step,
      event.type === 'step-failed'
        ? { ...before, state: 'failed', ms, error: event.error }
        : { ...before, state: event.already ? 'already' : 'done', ms, warnings: event.warnings },
    );
  }
  return [...records.values()];
}
