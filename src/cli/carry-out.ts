/** From a plan to its end: interlock, lock, progress, report. */

import { type InterlockScope, interlock } from '../apply/interlock.js';
import { acquireLock } from '../apply/lock.js';
import { runPlan } from '../apply/run.js';
import type { Design } from '../design/design.js';
import type { Plan } from '../plan/plan.js';
import { type CliContext, EXIT, type ExitCode } from './context.js';
import { isAlive, thisHolder } from './holder.js';
import type { Site } from './site.js';
import { progressView } from './views/progress.js';
import { printReport } from './views/report.js';

export async function carryOut(
  context: CliContext,
  site: Site,
  { plan, design }: { readonly plan: Plan; readonly design: Design },
  goOn: string,
  allow: Pick<InterlockScope, 'mayLose'> = {},
): Promise<ExitCode> {
  const { cluster } = site.config;
  const client = interlock(site.client, { cluster, ...allow });
  const holder = thisHolder(Date.now());
  const lock = await acquireLock(site.client, cluster, holder, isAlive);
  const hostOf = (node: string) => design.nodes.find((candidate) => candidate.name === node)?.host;
  const view = progressView(context, plan, site.clock);
  try {
    const result = await runPlan(plan, {
      runId: holder.runId,
      client,
      clock: site.clock,
      cluster,
      lock,
      schematics: site.schematics,
      machines: site.machines.access(design, client, hostOf),
      signal: context.signal,
      emit: view.emit,
    });
    view.close();
    printReport(context, plan, result, goOn);
    return { done: EXIT.done, failed: EXIT.failed, interrupted: EXIT.interrupted }[result.outcome];
  } finally {
    view.close();
    await lock.release().catch(() => undefined);
  }
}
