/** The same plan again and again on copies of one twin, each time with one fault at one occasion. */
import { OxherdError } from '../../../model/error.js';
import type { PlanRequest } from '../../plan/plan-request.js';
import type { KeptTwin } from '../open-twin.js';
import type { CaseRunner, ChaosCase, ChaosResult } from './chaos-case.js';
import { type RecordedCase, recordCases } from './record-cases.js';
import { openRunners } from './runners.js';

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
  /** How many cases at a time; with more than one each has a thread of its own. */
  readonly threads?: number;
  /** Which of all cases, by their names; default: all of them. */
  readonly choose?: (ids: readonly string[]) => readonly string[];
  /** No case is begun once this says so. */
  readonly isOver?: () => boolean;
  /** Results of an earlier call for the same plan. */
  readonly before?: (planId: string) => Promise<readonly ChaosResult[]>;
  /** How many of all cases earlier calls have tried. */
  readonly onStart?: (tried: number, of: number) => void;
  readonly onResult?: (result: ChaosResult, tried: number, of: number) => void;
  /** Keeps what was tried so far: a process that is killed has lost no more than its last case. */
  readonly keep?: (found: Chaos) => Promise<void>;
}

export async function chaos(
  kept: KeptTwin,
  request: PlanRequest,
  options: ChaosOptions = {},
): Promise<Chaos> {
  const { seed = 0, threads = 1, env, signal, choose, before } = options;
  const twin = { ...(env && { env }), ...(signal && { signal }) };
  const recording = await recordCases(kept, request, { ...twin, seed });
  // A recording that was cut off has not all cases: nothing that was kept may be measured by it.
  signal?.throwIfAborted();
  const { planId } = recording.prepared.plan;
  const wanted = wantedOf(recording.cases, choose);
  const done = new Map(((await before?.(planId)) ?? []).map((result) => [result.id, result]));
  const tried = new Map(wanted.flatMap(({ id }) => (done.has(id) ? [[id, done.get(id)] as const] : [])));
  const left = wanted.filter(({ id }) => !done.has(id));
  options.onStart?.(tried.size, wanted.length);
  const found = (): Chaos => ({
    seed,
    planId,
    cases: wanted.length,
    tried: wanted.flatMap(({ id }) => tried.get(id) ?? []),
  });
  const keeping = oneAtATime(async () => options.keep?.(found()));
  const onResult: ChaosOptions['onResult'] = (...result) => {
    options.onResult?.(...result);
    keeping.start();
  };
  const runners = await openRunners(recording, { ...twin, threads: Math.min(threads, left.length) });
  try {
    await Promise.all(
      runners.map((runner) => work(runner, left, tried, wanted.length, { ...options, onResult })),
    );
  } finally {
    await Promise.all(runners.map((runner) => runner.close()));
  }
  await keeping.end();
  return found();
}

/** What is started while it runs is done once, when it has ended. */
function oneAtATime(work: () => Promise<void>) {
  let running: Promise<void> | undefined;
  let again = false;
  const start = (): void => {
    again = true;
    running ??= (async () => {
      while (again) {
        again = false;
        await work();
      }
    })().finally(() => {
      running = undefined;
    });
    // Told at the end.
    running.catch(() => {});
  };
  return {
    start,
    async end() {
      await running?.catch(() => {});
      await work();
    },
  };
}

async function work(
  runner: CaseRunner,
  left: ChaosCase[],
  tried: Map<string, ChaosResult | undefined>,
  of: number,
  { signal, isOver, onResult }: ChaosOptions,
): Promise<void> {
  const stopped = (): boolean => signal?.aborted === true;
  while (isOver?.() !== true && !stopped()) {
    const one = left.shift();
    if (one === undefined) return;
    const judged = await runner.try(one.id);
    // A case that was cut off says nothing.
    if (stopped()) return;
    const result = { ...one, ...judged };
    tried.set(one.id, result);
    onResult?.(result, tried.size, of);
  }
}

function wantedOf(recorded: readonly RecordedCase[], choose: ChaosOptions['choose']): ChaosCase[] {
  const cases = recorded.map(({ occasion: _, point: __, ...plain }) => plain);
  const ids = cases.map(({ id }) => id);
  const chosen = new Set(choose?.(ids) ?? ids);
  const unknown = [...chosen].find((id) => !ids.includes(id));
  if (unknown !== undefined)
    throw new OxherdError('chaos.no-case', `this plan has no case ${unknown}`, {
      advice: 'cases belong to a plan and a state of the cluster; see `oxherd rehearse --chaos`',
    });
  return cases.filter(({ id }) => chosen.has(id));
}
