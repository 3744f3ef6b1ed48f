/** From a plan to its end: lock, write gate, interlock, progress, journal, report. */

import { type InterlockScope, interlock } from '../../apply/interlock.js';
import { acquireLock } from '../../apply/lock/lock.js';
import { poolsToHold } from '../../apply/lock/pools.js';
import { runPlan } from '../../apply/run.js';
import { type CliContext, EXIT, type ExitCode } from '../../cli/context.js';
import { progressView } from '../../cli/views/progress.js';
import { printReport } from '../../cli/views/report.js';
import type { Design } from '../../design/design.js';
import type { KubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import { downtimesIn, timeAway } from '../../model/downtime.js';
import type { RunEvent } from '../../model/events.js';
import type { Plan } from '../../plan/plan.js';
import type { Site } from '../connect/site.js';
import { openJournal } from '../journal/journal.js';
import { snapshotsOf } from '../snapshots/snapshots.js';
import { thisHolder } from './holder.js';
import { lockTools } from './lock-tools.js';

export interface Work {
  readonly plan: Plan;
  readonly design: Design;
  /** Needed by steps inside the cluster. */
  readonly kubernetes?: KubernetesDesign;
}

export async function carryOut(
  context: CliContext,
  site: Site,
  { plan, design, kubernetes }: Work,
  goOn: string,
  allow: Pick<InterlockScope, 'mayLose' | 'mayForget'> = {},
): Promise<ExitCode> {
  const { cluster } = design;
  const holder = thisHolder(Date.now());
  const pools = await poolsToHold(site.client, cluster);
  const lock = await acquireLock(pools, holder, lockTools(context, site));
  const client = interlock(site.client.behind(lock.gate), {
    cluster,
    names: volumeNames(design),
    clock: site.clock,
    ...allow,
  });
  const hostOf = (node: string) => design.nodes.find((candidate) => candidate.name === node)?.host;
  const inCluster = kubernetes && site.machines.cluster.access(kubernetes, lock.gate);
  const view = progressView(context, plan, site.clock);
  const facts = { runId: holder.runId, command: goOn, cluster };
  const journal = openJournal(context, facts, Date.now(), site.config.policy.keep.runs);
  const absences: RunEvent[] = [];
  const emit = (event: RunEvent): void => {
    view.emit(event);
    journal.emit(event);
    if (event.type === 'node-away' || event.type === 'node-back') absences.push(event);
  };
  try {
    const result = await runPlan(plan, {
      runId: holder.runId,
      client,
      clock: site.clock,
      cluster,
      lock,
      schematics: site.schematics,
      machines: site.machines.access(design, client, hostOf, lock.gate),
      snapshots: snapshotsOf(context, site),
      ...(inCluster && { kubernetes: inCluster }),
      signal: context.signal,
      emit,
    });
    view.close();
    printReport(context, plan, result, {
      goOn,
      away: timeAway(downtimesIn(absences), site.clock.now()),
    });
    // Said last and by itself: whoever reads the end of the output must not miss it.
    if (lock.lost.aborted && result.outcome !== 'done') throw lock.lost.reason;
    return { done: EXIT.done, failed: EXIT.failed, interrupted: EXIT.interrupted }[result.outcome];
  } finally {
    view.close();
    journal.close();
    await lock.release().catch(() => undefined);
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
