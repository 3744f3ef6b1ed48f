/** Starts a run from the page: the plan is made again, and only the one that was shown is carried out. */
import { OxherdError } from '../../../model/error.js';
import { type Answer, confirmationOf, unconfirmed } from '../../../session/confirm/confirmation.js';
import type { PreparedPlan } from '../../../session/plan/index.js';
import type { Session } from '../../../session/session.js';
import { withSession } from '../reading.js';
import { refusedBecause } from '../views/plan-view.js';
import type { WatchedCluster } from '../watched-cluster.js';
import { isRehearsed, predictedMs } from './rehearse-plan.js';

interface Asked {
  readonly planId: string;
  readonly answer?: Answer;
}

const stops = new WeakMap<WatchedCluster, Map<string, AbortController>>();

/** Answers as soon as the run has begun; what happens then is in its journal. */
export async function applyPlan(cluster: WatchedCluster, asked: Asked): Promise<{ readonly runId: string }> {
  if (cluster.signal.aborted)
    throw new OxherdError('ui.closing', 'the dashboard is closing: nothing was done', {
      advice: 'start `oxherd ui --write` again',
    });
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, cluster.signal]);
  return new Promise((begun, fail) => {
    const work = withSession(cluster.source, { write: true, signal }, async (session) => {
      const prepared = await session.plan({ kind: 'converge' }, { settled: true });
      requireAllowed(cluster, session, prepared, asked);
      let own: string | undefined;
      try {
        await session.apply(prepared, {
          command: 'oxherd apply',
          onEvent: (event) => {
            if (event.type !== 'run-started') return;
            own = event.runId;
            cluster.ownRuns.add(own);
            const predicted = predictedMs(cluster, asked.planId);
            if (predicted !== undefined) cluster.predictions.set(own, predicted);
            stopsOf(cluster).set(own, stop);
            begun({ runId: own });
          },
        }).result;
      } finally {
        if (own !== undefined) {
          cluster.ownRuns.delete(own);
          stopsOf(cluster).delete(own);
        }
      }
    });
    void cluster
      .keep(work)
      .catch(fail)
      .finally(() => cluster.readAgain());
  });
}

/** What runs comes to a safe end, and nothing new is begun. */
export function stopRun(cluster: WatchedCluster, runId: string): { readonly stopping: true } {
  const stop = stopsOf(cluster).get(runId);
  if (!stop)
    throw new OxherdError('ui.foreign-run', `run ${runId} was not started here`, {
      advice: 'press Ctrl-C in its terminal',
    });
  stop.abort(new Error('stopped from the page'));
  return { stopping: true };
}

function requireAllowed(
  cluster: WatchedCluster,
  session: Session,
  prepared: PreparedPlan,
  { planId, answer }: Asked,
): void {
  const { plan } = prepared;
  if (plan.planId !== planId)
    throw new OxherdError('ui.stale-plan', 'the plan has changed since it was shown: nothing was done', {
      advice: 'look at the new plan, then apply that one',
    });
  const refused = refusedBecause(plan);
  if (refused !== undefined)
    throw new OxherdError('ui.refused', refused, {
      advice: `run \`${cluster.source.command('oxherd apply')}\``,
    });
  const confirmation = confirmationOf(prepared, session.config);
  const missing = unconfirmed(confirmation, planId, answer);
  if (missing !== undefined)
    throw new OxherdError('ui.unconfirmed', `${missing}: nothing was done`, {
      advice: 'look at the plan, then confirm exactly what it asks',
    });
  if (confirmation.rehearsal && !isRehearsed(cluster, planId))
    throw new OxherdError('ui.rehearse-first', '`policy.rehearse` asks for a rehearsal of this plan first', {
      advice: 'rehearse it here; it is applied once the rehearsal ended well',
    });
}

function stopsOf(cluster: WatchedCluster): Map<string, AbortController> {
  const known = stops.get(cluster) ?? new Map<string, AbortController>();
  stops.set(cluster, known);
  return known;
}
