/**
 * The run without faults, recorded: at which step which fault could strike, and the twin as it was when that step began.
 * A case goes on from there, so that what all cases have in common is done once.
 */
import { createHash } from 'node:crypto';
import type { RunBehind } from '../../../apply/run.js';
import type { KeptState } from '../../../lab/state.js';
import { type WatchBaseline, watchTwin } from '../../../lab/twin/watch-twin.js';
import type { RunEvent } from '../../../model/events.js';
import { IMPACTS } from '../../../plan/impact.js';
import type { Plan } from '../../../plan/plan.js';
import type { Step } from '../../../plan/steps.js';
import { afterRun, type PlanRequest, type PreparedPlan } from '../../plan/plan-request.js';
import { type KeptTwin, openCopy, type TwinOptions, type TwinSession } from '../open-twin.js';
import { limitsOf } from '../rehearse.js';
import type { ChaosCase } from './chaos-case.js';
import { type Occasion, OccasionRecorder } from './occasions.js';

/** Where a run stood when a step began. */
interface RunPoint {
  readonly kept: KeptTwin;
  readonly behind: RunBehind;
  /** Steps that were under way, this one among them. */
  readonly running: ReadonlySet<string>;
  /** What was broken before it. */
  readonly broken: readonly string[];
}

export interface RecordedCase extends ChaosCase {
  readonly occasion: Occasion;
  readonly point: RunPoint;
}

export interface Recording {
  readonly prepared: PreparedPlan;
  /** How the twin was before the first step. */
  readonly baseline: WatchBaseline;
  readonly cases: readonly RecordedCase[];
  /** By step, how all was when it began. */
  readonly points: ReadonlyMap<string, RunPoint>;
  /** `policy.etcdSnapshotMaxAge`. */
  readonly snapshotMaxAgeMs: number;
  /** How it was after the last step, where the run went through and left nothing to do. */
  readonly end?: KeptState;
}

export async function recordCases(
  kept: KeptTwin,
  request: PlanRequest,
  { seed = 0, ...options }: TwinOptions & { readonly seed?: number } = {},
): Promise<Recording> {
  const opened = await openCopy(kept, options);
  try {
    const prepared = await opened.session.plan(request);
    const watcher = watchTwin(opened.twin, limitsOf(kept.loaded.config, prepared.plan));
    const recorder = new OccasionRecorder(placesIn(prepared), foremostIn(prepared.plan));
    recorder.listenTo(opened.twin.lab.core.faults);
    const { points, outcome } = await pointsOf(opened, prepared, kept, (event) => {
      recorder.emit(event);
      return watcher.violations;
    });
    const clean = watcher.stop().violations.length === 0 && outcome === 'done';
    const end = clean && points.size > 0 ? await endOf(opened, request) : undefined;
    const start: RunPoint = {
      kept,
      behind: { done: new Set(), memory: new Map() },
      running: new Set(),
      broken: [],
    };
    const cases = ordered(prepared.plan, recorder.occasions, seed).map((one) => ({
      ...one,
      point: points.get(one.step) ?? start,
    }));
    const snapshotMaxAgeMs = kept.loaded.config.policy.etcdSnapshotMaxAgeSeconds * 1_000;
    return { prepared, baseline: watcher.baseline, cases, points, snapshotMaxAgeMs, ...(end && { end }) };
  } finally {
    await opened.close();
  }
}

function foremostIn({ steps }: Plan): Step | undefined {
  const rank = ({ impact }: Step): number => IMPACTS.indexOf(impact);
  return steps.reduce<Step | undefined>(
    (most, step) => (most && rank(most) >= rank(step) ? most : step),
    undefined,
  );
}

function placesIn({ design }: PreparedPlan) {
  const places = new Map(
    design.nodes.map(({ name, host, talosVm }) => [name, { vmid: Number(talosVm.vmid), host }]),
  );
  return (node: string) => places.get(node) ?? { vmid: 0, host: '' };
}

/** Runs the plan; by step, how all was when it began. */
async function pointsOf(
  { session, keep }: TwinSession,
  prepared: PreparedPlan,
  { hasSecrets }: KeptTwin,
  /** Answers with what was broken so far. */
  emit: (event: RunEvent) => readonly string[],
): Promise<{ readonly points: ReadonlyMap<string, RunPoint>; readonly outcome: string }> {
  const behind: RunBehind = { done: new Set(), memory: new Map() };
  const points = new Map<string, RunPoint>();
  const running = new Set<string>();
  const onEvent = (event: RunEvent): void => {
    const broken = emit(event);
    if (event.type === 'step-started') running.add(event.step);
    if (event.type === 'step-done' || event.type === 'step-failed') running.delete(event.step);
    // Steps of a first apply are completed when the secrets are made, and only then.
    if (event.type === 'step-started' && hasSecrets)
      points.set(event.step, { kept: keep(), behind: copyOf(behind), running: new Set(running), broken });
  };
  if (prepared.plan.steps.length === 0) return { points, outcome: 'done' };
  const { outcome } = await session.apply(prepared, { onEvent, behind }).result;
  return { points, outcome };
}

/** Only what is known to end well spares a case the rest of its way. */
async function endOf({ session, twin }: TwinSession, request: PlanRequest): Promise<KeptState | undefined> {
  const end = twin.keep();
  const left = afterRun(request);
  if (left === undefined) return end;
  const { plan } = await session.plan(left, { settled: true });
  return plan.steps.length === 0 && plan.problems.length === 0 ? end : undefined;
}

export function copyOf({ done, memory }: RunBehind): RunBehind {
  return { done: new Set(done), memory: new Map(memory) };
}

/** The most disruptive steps first; among equals as the seed has it. */
function ordered(plan: Plan, occasions: readonly Occasion[], seed: number) {
  const steps = new Map(plan.steps.map((step) => [step.id, step]));
  const rank = ({ step }: Occasion): number => IMPACTS.indexOf(steps.get(step.id)?.impact ?? 'none');
  return occasions
    .map((occasion) => {
      const { step, fault, subject } = occasion;
      const id = hash(`${fault} ${step.id} ${subject}`).slice(0, 8);
      const { kind = '' } = steps.get(step.id) ?? {};
      return { id, step: step.id, kind, node: step.node, fault, subject, occasion };
    })
    .sort(
      (a, b) =>
        rank(b.occasion) - rank(a.occasion) || (hash(`${seed} ${a.id}`) < hash(`${seed} ${b.id}`) ? -1 : 1),
    );
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
