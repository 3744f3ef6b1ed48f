/** From a plan to its end: lock, write gate, interlock, events, journal. */

import { interlock } from '../../apply/interlock.js';
import { acquireLock, type ClusterLock } from '../../apply/lock/lock.js';
import { poolsToHold } from '../../apply/lock/pools.js';
import { type RunBehind, runPlan } from '../../apply/run.js';
import type { Design } from '../../design/design.js';
import { downtimesIn, type TimeAway, timeAway } from '../../model/downtime.js';
import type { RunEvent, RunResult } from '../../model/events.js';
import { UncaughtError } from '../../model/uncaught-error.js';
import { bothGates } from '../../model/write-gate.js';
import type { Plan } from '../../plan/plan.js';
import { planToRun } from '../../plan/saved-plan.js';
import type { Step } from '../../plan/steps.js';
import type { Site } from '../connect/site.js';
import type { SessionContext } from '../context.js';
import { openJournal } from '../journal/journal.js';
import type { PreparedPlan } from '../plan/plan-request.js';
import { keptPrediction } from '../rehearse/prediction.js';
import { snapshotsOf } from '../snapshots/snapshots.js';
import { lockTools } from './held-lock.js';
import { thisHolder } from './holder.js';

export interface RunReport extends RunResult {
  readonly runId: string;
  /** How long each node was away. */
  readonly away: readonly TimeAway[];
  /** Why the run ended early where no step says it: its lock was lost, or an error that nothing caught stopped it. */
  readonly error?: unknown;
}

interface Execution {
  /** For the journal: what a person would run to go on. */
  readonly command: string;
  readonly emit: (event: RunEvent) => void;
  /** Whether a node may be taken away now, asked before its first disruptive step. */
  readonly mayDisrupt?: (step: Step) => boolean;
  readonly behind?: RunBehind;
  /** The plan for the same request, from what is there now. */
  readonly planAgain: () => Promise<Plan>;
}

export async function carryOut(
  context: SessionContext,
  site: Site,
  prepared: PreparedPlan,
  { command, emit: told, mayDisrupt, behind, planAgain }: Execution,
): Promise<RunReport> {
  const { design, kubernetes, allow } = prepared;
  const { cluster } = design;
  const { fence } = context;
  const holder = { ...thisHolder(Date.now()), ...(fence && { fleet: fence.mark }) };
  const { runId } = holder;
  if (context.recorded !== false) {
    const { keepRecording } = await import('../rehearse/recording.js');
    await keepRecording(context, site, prepared, runId);
  }
  const pools = await poolsToHold(site.client, cluster);
  const lock = await acquireLock(pools, holder, lockTools(context, site));
  // A run that goes on in the middle of its plan has changed what a plan is made from.
  const plan =
    (behind?.done.size ?? 0) === 0 ? await confirmedPlan(prepared.plan, planAgain, lock) : prepared.plan;
  const gate = fence ? bothGates(lock.gate, fence.gate) : lock.gate;
  const client = interlock(site.client.behind(gate), {
    cluster,
    names: volumeNames(design),
    clock: site.clock,
    ...allow,
  });
  const hostOf = (node: string) => design.nodes.find((candidate) => candidate.name === node)?.host;
  const inCluster = kubernetes && site.machines.cluster.access(kubernetes, gate);
  const prediction = await keptPrediction(context, cluster, plan.planId);
  const facts = { runId, command, cluster, ...(prediction && { prediction }) };
  const journal = openJournal(context, facts, Date.now(), site.config.policy.keep.runs);
  const absences: RunEvent[] = [];
  const emit = (event: RunEvent): void => {
    journal.emit(event);
    told(event);
    if (event.type === 'node-away' || event.type === 'node-back') absences.push(event);
  };
  try {
    const result = await runPlan(plan, {
      runId,
      client,
      clock: site.clock,
      cluster,
      lock,
      schematics: site.schematics,
      machines: site.machines.access(design, client, hostOf, gate),
      snapshots: snapshotsOf(context, site),
      ...(inCluster && { kubernetes: inCluster }),
      ...(behind && { behind }),
      signal: context.signal,
      emit,
      ...(mayDisrupt && { mayDisrupt }),
    });
    const away = timeAway(downtimesIn(absences), site.clock.now());
    const error = lock.lost.aborted ? lock.lost.reason : UncaughtError.in(context.signal);
    return { ...result, runId, away, ...(error !== undefined && result.outcome !== 'done' && { error }) };
  } finally {
    journal.close();
    // Without the lease nothing is written, not even this: the next holder of the lease takes the lock over.
    if (!fence?.lost.aborted) await lock.release().catch(() => undefined);
  }
}

/** While a plan waited for an answer, another run may have changed the cluster: under the lock there is none. */
async function confirmedPlan(
  shown: Plan,
  planAgain: () => Promise<Plan>,
  lock: Pick<ClusterLock, 'release'>,
): Promise<Plan> {
  try {
    return planToRun(shown, await planAgain());
  } catch (error) {
    await lock.release().catch(() => undefined);
    throw error;
  }
}

/** Names that disks of this cluster may have been made with. */
function volumeNames({ nodes }: Design): string[] {
  return [
    ...new Set(
      nodes.flatMap(({ drives }) => drives.flatMap(({ name, was }) => (was ? [name, was] : [name]))),
    ),
  ];
}
