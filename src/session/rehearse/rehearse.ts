/** Runs the real plan on a twin of the cluster, and tells what happened there. The cluster itself is only read. */

import type { Config } from '../../config/config.js';
import { clusterEndpoint } from '../../design/machine-config/endpoint.js';
import { gateConditions } from '../../health/gates.js';
import type { TwinLimits } from '../../lab/twin/watch-twin.js';
import { watchTwin } from '../../lab/twin/watch-twin.js';
import type { RunEvent } from '../../model/events.js';
import { known } from '../../observe/observed.js';
import type { GateObjects } from '../../observe/observed-kubernetes.js';
import type { Plan } from '../../plan/plan.js';
import { differingSteps } from '../../plan/plan-id.js';
import { workersAway } from '../../plan/roll/roll.js';
import type { LoadedConfig } from '../connect/site.js';
import type { SessionContext } from '../context.js';
import { readJournals } from '../journal/journal.js';
import { afterRun, type PlanRequest } from '../plan/plan-request.js';
import type { SessionOptions } from '../session.js';
import { calibrated } from './calibration.js';
import type { Observation } from './observation.js';
import { openTwin, type TwinSession } from './open-twin.js';
import { keepPrediction } from './prediction.js';
import { invalidRehearsal, type Rehearsal, refusedRehearsal, rehearsalOf } from './rehearsal.js';

interface RealPlan extends Pick<Plan, 'planId'>, Partial<Pick<Plan, 'problems'>> {
  readonly steps: readonly { readonly id: string; readonly title?: string }[];
}

interface RehearseOptions extends Pick<SessionOptions, 'env' | 'signal' | 'tell'> {
  /** The plan that was made for the cluster itself; else whatever comes out on the twin is taken. */
  readonly plan?: RealPlan;
  readonly onEvent?: (event: RunEvent) => void;
}

export async function rehearse(
  loaded: LoadedConfig,
  observation: Observation,
  request: PlanRequest,
  options: RehearseOptions = {},
): Promise<Rehearsal> {
  const opened = await openTwin(loaded, observation, options);
  try {
    return await rehearseOn(opened, loaded.config, request, options);
  } finally {
    await opened.close();
  }
}

export async function rehearseOn(
  { session, twin, folder }: TwinSession,
  config: Config,
  request: PlanRequest,
  { plan: real, onEvent }: Pick<RehearseOptions, 'plan' | 'onEvent'> = {},
): Promise<Rehearsal> {
  const cluster = config.cluster.name;
  const prepared = await session.plan(request);
  const { plan } = prepared;
  const forbidden = refusalsIn(plan);
  if (forbidden.length > 0) {
    const { planId } = real ?? plan;
    if (!real || refusalsIn(real).length > 0) return refusedRehearsal(cluster, planId, forbidden);
    // Where the twin refuses what the cluster plans, that is the difference.
    const differences = forbidden.map(({ message }) => `the plan is refused: ${message}`);
    return invalidRehearsal(cluster, planId, differences);
  }
  if (real && real.planId !== plan.planId) {
    const differences = differingSteps(real, plan);
    return invalidRehearsal(
      cluster,
      real.planId,
      differences.length > 0 ? differences : ['the desired state differs'],
    );
  }
  const events: RunEvent[] = [];
  const watcher = watchTwin(twin, limitsOf(config, plan));
  if (plan.steps.length > 0) {
    await session.apply(prepared, {
      onEvent: (raw) => {
        const event = withRealTitle(raw, folder, real);
        events.push(event);
        onEvent?.(event);
      },
    }).result;
  }
  const watched = watcher.stop();
  const isCutOff = events.some(
    (event) => event.type === 'run-ended' && event.result.outcome === 'interrupted',
  );
  const next = isCutOff ? undefined : afterRun(request);
  const after = next && (await session.plan(next, { settled: true })).plan;
  return rehearsalOf(cluster, { plan, events, watched, left: leftIn(after) });
}

/** A rehearsal with what earlier runs of this cluster say about times, kept for the run that follows. */
export async function foretold(
  context: Pick<SessionContext, 'cwd' | 'target'>,
  config: Config,
  rehearsal: Rehearsal,
): Promise<Rehearsal> {
  const { cluster, nodes } = config;
  const lab = context.target.kind === 'lab';
  const hosts = new Map(nodes.map(({ name, host }) => [name, host]));
  const own = readJournals(context.cwd, lab).filter(
    ({ head }) => head.lab === lab && head.cluster === cluster.name,
  );
  const learned = rehearsal.valid ? calibrated(rehearsal, own, (node) => hosts.get(node)) : undefined;
  const whole = { ...rehearsal, ...(learned && { calibrated: learned }) };
  await keepPrediction(context, cluster, whole);
  return whole;
}

function refusalsIn({ problems = [] }: Partial<Pick<Plan, 'problems'>>): Plan['problems'] {
  return problems.filter(({ scope }) => scope === 'plan');
}

/** The twin has a folder of its own, which is gone when the report is read. */
function withRealTitle(event: RunEvent, folder: string, real: RealPlan | undefined): RunEvent {
  if (event.type !== 'step-started') return event;
  const step = real?.steps.find(({ id }) => id === event.step);
  return { ...event, title: step?.title ?? event.title.replaceAll(`${folder}/`, '') };
}

function leftIn(plan: Plan | undefined): string[] {
  return [
    ...(plan?.problems ?? []).map(({ message }) => message),
    ...(plan?.steps ?? []).map(({ title }) => title),
  ];
}

function closedGatesOf({ policy: { gates } }: Config): NonNullable<TwinLimits['closedGates']> {
  return (list) => {
    const seen = gates.map((gate) => {
      const objects = list(gate.resource.split('/')[0] ?? '').filter(
        ({ metadata }) =>
          (gate.namespace === undefined || metadata.namespace === gate.namespace) &&
          (gate.object === undefined || metadata.name === gate.object),
      );
      return [gate.name, known<GateObjects>({ served: true, objects })] as const;
    });
    const conditions = gateConditions(gates, { gates: Object.fromEntries(seen) });
    return conditions.flatMap(({ state, subject = '' }) => (state === 'failed' ? [subject] : []));
  };
}

export function limitsOf(config: Config, plan: Plan): TwinLimits {
  const planes = config.nodes.filter(({ role }) => role === 'controlplane');
  const workers = config.nodes.filter(({ role }) => role === 'worker');
  const vip = clusterEndpoint(config).replace(/^https:\/\/|:6443$/g, '');
  const ends = plan.action === 'destroy';
  return {
    workers: ends
      ? Number.POSITIVE_INFINITY
      : workersAway(config.policy.maxUnavailable.workers, workers.length),
    quorum: planes.length > 1 && !plan.notes.some(({ code }) => code === 'outage') && !ends,
    controlPlanes: planes.map(({ vmid }) => vmid),
    workerVms: workers.map(({ vmid }) => vmid),
    endpoints: [...new Set([vip, ...planes.map(({ ip }) => ip)])],
    ...(!ends && { snapshotMaxAgeMs: config.policy.etcdSnapshotMaxAgeSeconds * 1_000 }),
    ...(config.policy.gates.length > 0 && !ends && { closedGates: closedGatesOf(config) }),
  };
}
