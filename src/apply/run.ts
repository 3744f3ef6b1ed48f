/** Carries out the steps of a plan, and nothing that the plan does not list. */
import { OxherdError } from '../model/error.js';
import type { RunEvent, RunResult } from '../model/events.js';
import { isDisruptive, type Plan } from '../plan/plan.js';
import type { Step } from '../plan/steps.js';
import { execute } from './executors.js';
import type { ClusterLock } from './lock.js';
import { Schedule, type StepEnd } from './schedule.js';
import type { StepContext } from './support/context.js';

export interface RunOptions extends Omit<StepContext, 'progress' | 'memory'> {
  readonly runId: string;
  readonly lock: ClusterLock;
  readonly emit: (event: RunEvent) => void;
  readonly limits?: { readonly perHost?: number };
}

type Running = RunOptions & Pick<StepContext, 'memory'>;

const DEFAULT_STEPS_PER_HOST = 8;
/** Every step reads before it writes, so what may or may not have happened is simply done again. */
const ATTEMPTS = 3;
const REPEATABLE = new Set([
  'proxmox.dropped',
  'proxmox.timeout',
  'proxmox.digest',
  'proxmox.lock-timeout',
  'talos.unreachable',
]);

export async function runPlan(plan: Plan, options: RunOptions): Promise<RunResult> {
  const { clock, emit, signal } = options;
  const begun = clock.now();
  const running: Running = { ...options, memory: new Map() };
  const schedule = new Schedule(plan.steps, {
    perHost: options.limits?.perHost ?? DEFAULT_STEPS_PER_HOST,
    allAtOnce: plan.action === 'destroy',
  });
  emit({ type: 'run-started', at: begun, runId: options.runId, steps: plan.steps.length });
  await new Promise<void>((resolve) => {
    const advance = (): void => {
      if (!signal.aborted) {
        for (let step = schedule.take(); step; step = schedule.take()) {
          const taken = step;
          void runStep(taken, running).then((end) => {
            schedule.finish(taken, end);
            advance();
          });
        }
      }
      if (schedule.running === 0) resolve();
    };
    advance();
  });
  const { done, failed, notStarted } = schedule.result();
  const outcome = failed.length > 0 ? 'failed' : notStarted.length > 0 ? 'interrupted' : 'done';
  const result: RunResult = {
    outcome: signal.aborted && notStarted.length > 0 ? 'interrupted' : outcome,
    done,
    failed,
    notStarted,
  };
  emit({ type: 'run-ended', at: clock.now(), ms: clock.now() - begun, result });
  return result;
}

async function runStep(step: Step, options: Running): Promise<StepEnd> {
  const { clock, emit, lock } = options;
  const begun = clock.now();
  emit({
    type: 'step-started',
    at: begun,
    step: step.id,
    title: step.title,
    ...(step.node !== undefined && { node: step.node }),
  });
  try {
    if (isDisruptive(step.impact)) await lock.check();
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
    if (options.signal.aborted && error === options.signal.reason) return 'interrupted';
    const { code, message, advice } = OxherdError.from(error);
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
