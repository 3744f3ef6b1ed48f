/** What a rehearsal found, as data: for people, for programs and for one HTML page. Times are milliseconds of its run. */

import type { Sample, Watched } from '../../lab/twin/watch-twin.js';
import { type Absence, downtimesIn, type TimeAway, timeAway } from '../../model/downtime.js';
import type { RunEvent } from '../../model/events.js';
import type { Plan, Problem } from '../../plan/plan.js';
import type { Calibrated } from './calibration.js';

export interface Rehearsal {
  readonly format: 1;
  readonly cluster: string;
  readonly planId: string;
  /** The twin answers as the cluster does: the same plan came out. */
  readonly valid: boolean;
  /** What the twin would do differently, where it is not. */
  readonly differences: readonly string[];
  /** Why the plan is refused, on the cluster as on the twin: there is nothing to run. */
  readonly refused?: readonly Problem[];
  readonly outcome: 'nothing to do' | 'done' | 'failed' | 'interrupted' | 'not run';
  /** How long the run took, by the lab's clock. */
  readonly ms: number;
  readonly steps: readonly RehearsedStep[];
  readonly absences: readonly Absence[];
  readonly away: readonly TimeAway[];
  /** One for each change of anything, in order. */
  readonly course: readonly Moment[];
  /** Endpoint → milliseconds without an API server. */
  readonly apiAway: Readonly<Record<string, number>>;
  readonly leastMargin?: number;
  readonly pods: { readonly evicted: number; readonly mostPending: number };
  /** Waits on a PodDisruptionBudget, as the run told them. */
  readonly blocked: readonly string[];
  /** Host → most bytes of memory at any time. */
  readonly memory: Readonly<Record<string, number>>;
  /** The same on this hardware, as far as earlier runs have shown how long things take there. */
  readonly calibrated?: Calibrated;
  /** Invariants that were broken. */
  readonly broken: readonly string[];
  /** What is left to do afterwards; empty: the next plan is. */
  readonly left: readonly string[];
}

interface RehearsedStep {
  readonly id: string;
  readonly title: string;
  readonly node?: string;
  readonly kind: string;
  readonly impact: string;
  readonly from: number;
  readonly to?: number;
  readonly state: 'done' | 'failed' | 'unfinished';
  readonly message?: string;
}

/** Until the next one it stays so. */
type Moment = Omit<Sample, 'memory'>;

interface Rehearsed {
  readonly plan: Pick<Plan, 'planId' | 'steps'>;
  readonly events: readonly RunEvent[];
  readonly watched: Watched;
  readonly left: readonly string[];
}

export function rehearsalOf(cluster: string, { plan, events, watched, left }: Rehearsed): Rehearsal {
  const begun = events[0]?.at ?? 0;
  const ended = events.find((event) => event.type === 'run-ended');
  const relative = events.map((event) => ({ ...event, at: event.at - begun }));
  const absences = downtimesIn(relative);
  const ms = (events.at(-1)?.at ?? begun) - begun;
  const samples = watched.samples.map((sample) => ({ ...sample, at: sample.at - begun }));
  const margins = samples.map(({ margin }) => margin).filter((margin) => margin < Number.MAX_SAFE_INTEGER);
  return {
    format: 1,
    cluster,
    planId: plan.planId,
    valid: true,
    differences: [],
    outcome: plan.steps.length === 0 ? 'nothing to do' : (ended?.result.outcome ?? 'interrupted'),
    ms,
    steps: stepsOf(plan, relative),
    absences,
    away: timeAway(absences, ms),
    course: courseOf(samples),
    apiAway: apiAway(samples),
    ...(margins.length > 0 && { leastMargin: Math.min(...margins) }),
    pods: {
      evicted: samples.at(-1)?.pods.evicted ?? 0,
      mostPending: Math.max(0, ...samples.map(({ pods }) => pods.pending)),
    },
    blocked: blockedIn(relative),
    memory: mostMemory(samples),
    broken: watched.violations,
    left,
  };
}

/** Nothing of it may be relied on. */
export function invalidRehearsal(cluster: string, planId: string, differences: readonly string[]): Rehearsal {
  const plan = { planId, steps: [] };
  const empty = { plan, events: [], watched: { samples: [], violations: [] }, left: [] };
  return { ...rehearsalOf(cluster, empty), valid: false, differences, outcome: 'not run' };
}

export function refusedRehearsal(cluster: string, planId: string, refused: readonly Problem[]): Rehearsal {
  return { ...invalidRehearsal(cluster, planId, []), refused };
}

/** Whether it went as it should: what a script asks. */
export function isClean({ valid, outcome, broken, left }: Rehearsal): boolean {
  const ran = outcome === 'done' || outcome === 'nothing to do';
  return valid && ran && broken.length === 0 && left.length === 0;
}

function stepsOf({ steps }: Pick<Plan, 'steps'>, events: readonly RunEvent[]): RehearsedStep[] {
  const planned = new Map(steps.map((step) => [step.id, step]));
  return events.flatMap((event): RehearsedStep[] => {
    if (event.type !== 'step-started') return [];
    const end = events.find(
      (later) => (later.type === 'step-done' || later.type === 'step-failed') && later.step === event.step,
    );
    const { kind = '', impact = '' } = planned.get(event.step) ?? {};
    return [
      {
        id: event.step,
        title: event.title,
        ...(event.node !== undefined && { node: event.node }),
        kind,
        impact,
        from: event.at,
        ...(end && { to: end.at }),
        state: end ? (end.type === 'step-done' ? 'done' : 'failed') : 'unfinished',
        ...(end?.type === 'step-failed' && { message: end.error.message }),
      },
    ];
  });
}

function courseOf(samples: readonly Sample[]): Moment[] {
  const course: Moment[] = [];
  let last = '';
  for (const { memory: _, ...moment } of samples) {
    const { at: __, ...state } = moment;
    const text = JSON.stringify(state);
    if (text !== last) course.push(moment);
    last = text;
  }
  return course;
}

/** A look tells of the time since the last one. */
function apiAway(samples: readonly Sample[]): Record<string, number> {
  const away: Record<string, number> = {};
  let last = 0;
  for (const { at, api } of samples) {
    for (const [endpoint, answers] of Object.entries(api))
      away[endpoint] = (away[endpoint] ?? 0) + (answers ? 0 : at - last);
    last = at;
  }
  return away;
}

function mostMemory(samples: readonly Sample[]): Record<string, number> {
  const most: Record<string, number> = {};
  for (const { memory } of samples)
    for (const [host, bytes] of Object.entries(memory)) most[host] = Math.max(most[host] ?? 0, bytes);
  return most;
}

function blockedIn(events: readonly RunEvent[]): string[] {
  const told = events.flatMap((event) =>
    event.type === 'step-progress' && event.message.includes('PodDisruptionBudget') ? [event.message] : [],
  );
  return [...new Set(told)];
}
