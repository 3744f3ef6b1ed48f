/** From a plan to its end: lock, write gate, interlock, events, journal. */

import { interlock } from '../../apply/interlock.js';
import { acquireLock } from '../../apply/lock/lock.js';
import { poolsToHold } from '../../apply/lock/pools.js';
import { type RunBehind, runPlan } from '../../apply/run.js';
import type { Design } from '../../design/design.js';
import { downtimesIn, type TimeAway, timeAway } from '../../model/downtime.js';
import type { RunEvent, RunResult } from '../../model/events.js';
import { bothGates } from '../../model/write-gate.js';
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
  /** Why the run ended early where no step says it: its lock was lost. */
  readonly error?: unknown;
}

interface Execution {
  /** For the journal: what a person would run to go on. */
  readonly command: string;
  readonly emit: (event: RunEvent) => void;
  /** Whether a node may be taken away now, asked before its first disruptive step. */
  readonly mayDisrupt?: (step: Step) => boolean;
  readonly behind?: RunBehind;
}

export async function carryOut(
  context: SessionContext,
  site: Site,
  prepared: PreparedPlan,
  { command, emit: told, mayDisrupt, behind }: Execution,
): Promise<RunReport> {
  const { plan, design, kubernetes, allow } = prepared;
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
    const lost = lock.lost.aborted && result.outcome !== 'done';
    return { ...result, runId, away, ...(lost && { error: lock.lost.reason }) };
  } finally {
    journal.close();
    // Without the lease nothing is written, not even this: the next holder of the lease takes the lock over.
    if (!fence?.lost.aborted) await lock.release().catch(() => undefined);
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
