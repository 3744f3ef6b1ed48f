/**
 * Room `apply`: steps of a plan, carried out.
 * May touch: the APIs, through clients behind the lock and the interlock; no terminal, no file of its own.
 *
 * Carries out the steps of a plan, and nothing that the plan does not list.
 */
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import { OxherdError } from '../model/error.js';
import type { RunEvent, RunResult } from '../model/events.js';
import { UncaughtError } from '../model/uncaught-error.js';
import { StepOrder } from '../plan/facts/step-order.js';
import type { Plan } from '../plan/plan.js';
import type { Step } from '../plan/steps.js';
import { execute } from './executors.js';
import { downRulesOf } from './guard/down-rules.js';
import { guardedProxmox } from './guard/guarded-clients.js';
import type { ClusterLock } from './lock/lock.js';
import { LockError } from './lock/lock-error.js';
import { Schedule, type StepEnd } from './schedule.js';
import type { StepContext } from './support/context.js';
import { withHostState } from './support/host-of-failure.js';

interface RunOptions extends Omit<StepContext, 'client' | 'guard' | 'progress' | 'memory'> {
  /** Behind the interlock. */
  readonly client: ProxmoxClient;
  readonly runId: string;
  /** What the clients write through; a run that loses it stops. */
  readonly lock: Pick<ClusterLock, 'gate' | 'lost'>;
  readonly emit: (event: RunEvent) => void;
  readonly limits?: { readonly perHost?: number };
  /** Whether a node may be taken away now; where not, the run ends as an interrupted one once nothing else is left. */
  readonly mayDisrupt?: (step: Step) => boolean;
  /** What this plan has behind it already; kept up to date. */
  readonly behind?: RunBehind;
}

/** How far a run has come: with a copy of it another run of the same plan goes on from there. */
export interface RunBehind {
  /** Ids of steps that are done. */
  readonly done: Set<string>;
  /** What steps learned for others. */
  readonly memory: Map<string, string>;
}

type Running = Omit<RunOptions, 'client'> & Pick<StepContext, 'client' | 'guard' | 'memory'>;

const DEFAULT_STEPS_PER_HOST = 8;
/** Most of the time they wait for guests to shut down; how many are erased at a time, the client limits. */
const REMOVALS_PER_HOST = 32;
/** Every step reads before it writes, so what may or may not have happened is simply done again. */
const ATTEMPTS = 3;
const REPEATABLE = new Set([
  'proxmox.dropped',
  'proxmox.timeout',
  'proxmox.digest',
  'proxmox.lock-timeout',
  'proxmox.user-lost',
  'talos.unreachable',
]);

export async function runPlan(plan: Plan, options: RunOptions): Promise<RunResult> {
  const { clock, emit, lock } = options;
  const signal = AbortSignal.any([options.signal, lock.lost]);
  checkOrder(plan);
  const begun = clock.now();
  const behind = options.behind ?? { done: new Set(), memory: new Map() };
  const running: Running = {
    ...options,
    client: guardedProxmox(options.client),
    guard: { rules: downRulesOf(plan), lock: lock.gate, disrupted: new Set() },
    signal,
    memory: behind.memory,
  };
  const allAtOnce = plan.action === 'destroy';
  const perHost = options.limits?.perHost ?? (allAtOnce ? REMOVALS_PER_HOST : DEFAULT_STEPS_PER_HOST);
  const { mayDisrupt } = options;
  let heldBack = false;
  const schedule = new Schedule(plan.steps, {
    perHost,
    allAtOnce,
    ...(mayDisrupt && {
      mayDisrupt: (step) => {
        const may = mayDisrupt(step);
        heldBack ||= !may;
        return may;
      },
    }),
    done: new Set(behind.done),
  });
  emit({ type: 'run-started', at: begun, runId: options.runId, steps: plan.steps.length });
  /** What a step threw where it should have reported it: a view that cannot show an event, a bug. */
  const thrown: unknown[] = [];
  const caught = (error: unknown): StepEnd => {
    thrown.push(error);
    return 'failed';
  };
  await new Promise<void>((resolve) => {
    const advance = (): void => {
      if (!signal.aborted && thrown.length === 0) {
        for (let step = schedule.take(); step; step = schedule.take()) {
          const taken = step;
          void runStep(taken, running)
            .catch(caught)
            .then((end) => {
              schedule.finish(taken, end);
              if (end === 'done') behind.done.add(taken.id);
              advance();
            });
        }
      }
      if (schedule.running === 0) resolve();
    };
    advance();
  });
  const { done, failed, notStarted } = schedule.result();
  const result: RunResult = {
    outcome: outcomeOf(options, failed, notStarted, heldBack),
    done,
    failed,
    notStarted,
  };
  emit({ type: 'run-ended', at: clock.now(), ms: clock.now() - begun, result });
  if (thrown.length > 0) throw thrown[0];
  return result;
}

function outcomeOf(
  { signal, lock }: RunOptions,
  failed: readonly string[],
  notStarted: readonly string[],
  heldBack: boolean,
): RunResult['outcome'] {
  if (failed.length === 0 && notStarted.length === 0) return 'done';
  if (lock.lost.aborted || UncaughtError.in(signal)) return 'failed';
  if (signal.aborted && notStarted.length > 0) return 'interrupted';
  if (heldBack && failed.length === 0) return 'interrupted';
  // Steps that nothing let start are no interruption: the plan was wrong.
  return 'failed';
}

/** Steps that wait for each other, or for one that is not there, would wait for ever. */
function checkOrder({ steps }: Plan): void {
  const ids = new Set(steps.map((step) => step.id));
  const missing = steps.find((step) => step.needs.some((need) => !ids.has(need)));
  const chain = missing
    ? [missing.id, ...missing.needs.filter((need) => !ids.has(need))]
    : new StepOrder(steps).cycle();
  if (!chain) return;
  throw new OxherdError('apply.plan-order', `steps of this plan wait for each other: ${chain.join(' → ')}`, {
    advice: 'nothing was done; this is a bug, please report it',
  });
}

async function runStep(step: Step, options: Running): Promise<StepEnd> {
  const { clock, emit } = options;
  const begun = clock.now();
  emit({
    type: 'step-started',
    at: begun,
    step: step.id,
    title: step.title,
    ...(step.node !== undefined && { node: step.node }),
  });
  try {
    const outcome = await repeatedly(step, options);
    const at = clock.now();
    emit({
      type: 'step-done',
      at,
      step: step.id,
      ms: at - begun,
      already: outcome.already,
      warnings: outcome.warnings ?? [],
    });
    if (step.node !== undefined && step.kind === 'begin-disruption')
      emit({ type: 'node-away', at, node: step.node, reason: step.title });
    if (step.node !== undefined && step.kind === 'end-disruption')
      emit({ type: 'node-back', at, node: step.node, reason: step.title });
    return 'done';
  } catch (error) {
    // A lost lock ends what waits as well; that is a failure, which says who holds it.
    if (options.signal.aborted && error === options.signal.reason && !(error instanceof LockError))
      return 'interrupted';
    const told = await withHostState(step, OxherdError.from(error), options.client);
    const { code, message, advice } = told;
    const at = clock.now();
    emit({
      type: 'step-failed',
      at,
      step: step.id,
      ms: at - begun,
      error: { code, message, ...(advice !== undefined && { advice }) },
    });
    return 'failed';
  }
}

async function repeatedly(step: Step, options: Running) {
  const { clock, signal, emit } = options;
  const progress = (message: string) =>
    emit({ type: 'step-progress', at: clock.now(), step: step.id, message });
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await execute(step, { ...options, progress });
    } catch (error) {
      const again = error instanceof OxherdError && REPEATABLE.has(error.code);
      if (attempt >= ATTEMPTS || signal.aborted || !again) throw error;
      progress(`${error.message}; reading again`);
    }
  }
}
