/**
 * The same plan again and again on copies of one twin, each time with one fault at one occasion. What happens is judged:
 * it went on, it stopped and the next run finished it, it needs a person, or something broke that must not.
 */
import { createHash } from 'node:crypto';
import type { FaultName } from '../../lab/faults.js';
import type { Twin } from '../../lab/twin/start-twin.js';
import { type TwinLimits, watchTwin } from '../../lab/twin/watch-twin.js';
import { OxherdError } from '../../model/error.js';
import type { RunEvent } from '../../model/events.js';
import { IMPACTS } from '../../plan/impact.js';
import type { Plan } from '../../plan/plan.js';
import type { PlanRequest } from '../plan/plan-request.js';
import type { Session } from '../session.js';
import { type Occasion, OccasionRecorder } from './occasions.js';
import { type KeptTwin, openCopy, type TwinSession } from './open-twin.js';
import { limitsOf } from './rehearse.js';

export type Verdict = 'continued' | 'stopped safely' | 'needs a person' | 'UNSAFE';

interface ChaosCase {
  /** Names it for a replay. */
  readonly id: string;
  readonly step: string;
  readonly kind: string;
  readonly node: string;
  readonly fault: FaultName;
  readonly subject: string;
}

export interface ChaosResult extends ChaosCase {
  readonly verdict: Verdict;
  /** What the run said, or what was broken. */
  readonly why?: string;
}

export interface Chaos {
  readonly seed: number;
  readonly planId: string;
  readonly cases: number;
  readonly tried: readonly ChaosResult[];
}

interface ChaosOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly signal?: AbortSignal;
  readonly seed?: number;
  /** Which of all cases, by their names; default: all of them. */
  readonly choose?: (ids: readonly string[]) => readonly string[];
  /** No case is begun once this says so. */
  readonly isOver?: () => boolean;
  /** Results of an earlier call for the same plan. */
  readonly before?: (planId: string) => Promise<readonly ChaosResult[]>;
  readonly onResult?: (result: ChaosResult, tried: number, of: number) => void;
}

/** What the fault itself takes away is no violation. */
const TAKES_NODES: ReadonlySet<FaultName> = new Set(['host-down', 'partition', 'machine-stuck', 'no-quorum']);
const TAKES_API: ReadonlySet<FaultName> = new Set(['vip-lost', 'host-down', 'partition']);

/** The course of the run without faults says when which of them could strike. */
async function chaosCases(
  kept: KeptTwin,
  request: PlanRequest,
  options: ChaosOptions = {},
): Promise<{
  readonly plan: Plan;
  readonly cases: readonly (ChaosCase & { readonly occasion: Occasion })[];
}> {
  const opened = await openCopy(kept, copyOptions(options));
  try {
    const prepared = await opened.session.plan(request);
    const places = new Map(
      prepared.design.nodes.map(({ name, host, talosVm }) => [name, { vmid: Number(talosVm.vmid), host }]),
    );
    const recorder = new OccasionRecorder((node) => places.get(node) ?? { vmid: 0, host: '' });
    recorder.listenTo(opened.twin.lab.core.faults);
    const { result } = opened.session.apply(prepared, { onEvent: (event) => recorder.emit(event) });
    await result;
    return { plan: prepared.plan, cases: ordered(prepared.plan, recorder.occasions, options.seed ?? 0) };
  } finally {
    await opened.close();
  }
}

export async function chaos(
  kept: KeptTwin,
  request: PlanRequest,
  options: ChaosOptions = {},
): Promise<Chaos> {
  const { plan, cases } = await chaosCases(kept, request, options);
  const ids = cases.map(({ id }) => id);
  const chosen = new Set(options.choose?.(ids) ?? ids);
  const wanted = cases.filter(({ id }) => chosen.has(id));
  const unknown = [...chosen].find((id) => !ids.includes(id));
  if (unknown !== undefined)
    throw new OxherdError('chaos.no-case', `this plan has no case ${unknown}`, {
      advice: 'cases belong to a plan and a state of the cluster; see `oxherd rehearse --chaos`',
    });
  const done = new Map(((await options.before?.(plan.planId)) ?? []).map((result) => [result.id, result]));
  const tried: ChaosResult[] = wanted.flatMap(({ id }) => done.get(id) ?? []);
  for (const { occasion, ...one } of wanted) {
    if (done.has(one.id)) continue;
    if (options.isOver?.() === true || options.signal?.aborted === true) break;
    const result = { ...one, ...(await tryCase(kept, request, plan, occasion, options)) };
    tried.push(result);
    options.onResult?.(result, tried.length, wanted.length);
  }
  return { seed: options.seed ?? 0, planId: plan.planId, cases: wanted.length, tried };
}

function copyOptions({ env, signal }: ChaosOptions) {
  return { ...(env && { env }), ...(signal && { signal }) };
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

async function tryCase(
  kept: KeptTwin,
  request: PlanRequest,
  plan: Plan,
  occasion: Occasion,
  options: ChaosOptions,
): Promise<{ readonly verdict: Verdict; readonly why?: string }> {
  const opened = await openCopy(kept, copyOptions(options));
  const { twin, session } = opened;
  const watcher = watchTwin(twin, limitsFor(occasion.fault, limitsOf(kept.loaded.config, plan)));
  try {
    const first = await runWithFault(opened, request, occasion);
    twin.lab.core.faults.clear(occasion.fault);
    const second = await finish(session, request);
    const helped = second === undefined ? undefined : await afterHelp(twin, session, request);
    const { violations } = watcher.stop();
    const [broken] = violations;
    if (broken !== undefined) return { verdict: 'UNSAFE', why: broken };
    if (second !== undefined && helped !== undefined)
      return { verdict: 'UNSAFE', why: `it does not converge: ${helped}` };
    if (second !== undefined) return { verdict: 'needs a person', why: first ?? second };
    return first === undefined ? { verdict: 'continued' } : { verdict: 'stopped safely', why: first };
  } catch (error) {
    return { verdict: 'UNSAFE', why: OxherdError.from(error).message };
  } finally {
    watcher.stop();
    await opened.close();
  }
}

function limitsFor(fault: FaultName, limits: TwinLimits): TwinLimits {
  return {
    ...limits,
    ...(TAKES_NODES.has(fault) && { workers: Number.POSITIVE_INFINITY, controlPlanes: [] }),
    ...(TAKES_API.has(fault) && { endpoints: [] }),
  };
}

/** What the run said, where it did not end well. */
async function runWithFault(
  { session, twin }: TwinSession,
  request: PlanRequest,
  { fault, subject, kind, step }: Occasion,
): Promise<string | undefined> {
  const { faults } = twin.lab.core;
  let armed = false;
  let said: string | undefined;
  const onEvent = (event: RunEvent): void => {
    if (event.type === 'step-failed') said ??= event.error.message;
    if (armed || event.type !== 'step-started' || event.step !== step.id) return;
    armed = true;
    faults.set({ name: fault, subject, countdown: kind === 'blow' ? 0 : null });
  };
  const result = await carriedOut(session, request, onEvent);
  return result === undefined ? undefined : (said ?? result);
}

/** The next run of the same command, and nothing left after it. */
async function finish(session: Session, request: PlanRequest): Promise<string | undefined> {
  const failed = await carriedOut(session, request);
  if (failed !== undefined || request.kind !== 'converge') return failed;
  const { plan } = await session.plan(request, { settled: true });
  return plan.steps.length === 0 ? undefined : `${plan.steps[0]?.title} is left to do`;
}

async function carriedOut(
  session: Session,
  request: PlanRequest,
  onEvent: (event: RunEvent) => void = () => {},
): Promise<string | undefined> {
  try {
    const prepared = await session.plan(request, { settled: true });
    if (prepared.plan.steps.length === 0 && prepared.plan.problems.length === 0) return undefined;
    const result = await session.apply(prepared, { onEvent }).result;
    return result.outcome === 'done' ? undefined : `the run ${result.outcome}`;
  } catch (error) {
    return OxherdError.from(error).message;
  }
}

/** What a person does: ends a task that hangs, resets a machine that hangs, disarms an alarm. */
async function afterHelp(twin: Twin, session: Session, request: PlanRequest): Promise<string | undefined> {
  const { room, lab } = twin;
  for (const task of lab.proxmox.pve.db.tasks.values())
    if (task.exitstatus === undefined && task.event === undefined)
      lab.proxmox.pve.db.tasks.put(task.upid, {
        ...task,
        exitstatus: 'interrupted by signal',
        endtime: Math.floor(lab.clock.now() / 1_000),
      });
  for (const { id } of [...room.db.etcd.values()]) room.etcd.setAlarms(id, []);
  for (const machine of [...room.machines()])
    if (machine.record.stuck !== undefined) room.reset(machine.vmid);
  room.settle();
  await lab.clock.sleep(HELPED_MS);
  return finish(session, request);
}

const HELPED_MS = 120_000;
