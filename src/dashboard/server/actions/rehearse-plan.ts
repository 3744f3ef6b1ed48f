/** Rehearsals of the plan that is shown, on a twin in this process. The cluster itself is only read. */
import { OxherdError } from '../../../model/error.js';
import { keptChaos } from '../../../session/rehearse/chaos/chaos-file.js';
import { isClean, type Rehearsal } from '../../../session/rehearse/rehearsal.js';
import type { ErrorView, RehearsalView } from '../../api.js';
import { errorView } from '../answer.js';
import { withSession } from '../reading.js';
import type { Stream } from '../stream.js';
import type { WatchedCluster } from '../watched-cluster.js';

interface Kept {
  planId: string;
  state: 'running' | 'done' | 'failed';
  progress: string[];
  rehearsal?: Rehearsal;
  error?: ErrorView;
}

const kept = new WeakMap<WatchedCluster, Kept>();

export async function rehearsalOf(cluster: WatchedCluster): Promise<RehearsalView> {
  const last = kept.get(cluster);
  const command = cluster.source.command('oxherd rehearse');
  const planId = last?.planId ?? cluster.reading?.prepared?.plan.planId;
  const { config } = cluster.reading ?? {};
  const chaos = config && planId !== undefined ? await keptChaos(cluster.source, config.cluster, planId) : [];
  if (!last) return { state: 'none', progress: [], chaos, command };
  const { state, progress, rehearsal, error } = last;
  return {
    state,
    planId: last.planId,
    progress,
    ...(rehearsal && { rehearsal, clean: isClean(rehearsal) }),
    ...(error && { error }),
    chaos,
    command,
  };
}

/** Whether the last rehearsal was of this plan and went well. */
export function isRehearsed(cluster: WatchedCluster, planId: string): boolean {
  const last = kept.get(cluster);
  return last?.planId === planId && last.rehearsal !== undefined && isClean(last.rehearsal);
}

/** How long a run of this plan took on the twin; absent: it was not rehearsed. */
export function predictedMs(cluster: WatchedCluster, planId: string): number | undefined {
  return isRehearsed(cluster, planId) ? kept.get(cluster)?.rehearsal?.ms : undefined;
}

export function startRehearsal(
  cluster: WatchedCluster,
  planId: string,
  stream: Stream,
): { readonly planId: string } {
  if (kept.get(cluster)?.state === 'running')
    throw new OxherdError('ui.busy', 'a rehearsal is under way', { advice: 'wait for its end' });
  const mine: Kept = { planId, state: 'running', progress: [] };
  kept.set(cluster, mine);
  const told = (): void => stream.send({ type: 'rehearsal', cluster: cluster.id });
  void run(cluster, mine, told)
    .catch((error: unknown) => {
      mine.state = 'failed';
      mine.error = errorView(error);
    })
    .finally(told);
  return { planId };
}

async function run(cluster: WatchedCluster, mine: Kept, told: () => void): Promise<void> {
  const { env } = cluster.source;
  // The lab is loaded only where it is asked for.
  const { rehearse } = await import('../../../session/rehearse/rehearse.js');
  mine.rehearsal = await withSession(
    cluster.source,
    { write: false, signal: cluster.signal },
    async (session) => {
      const { plan, request } = await session.plan();
      if (plan.planId !== mine.planId)
        throw new OxherdError('ui.stale-plan', 'the plan has changed since it was shown', {
          advice: 'look at the new plan, then rehearse that one',
        });
      return rehearse(session, await session.observation(), request, {
        plan,
        env,
        signal: cluster.signal,
        onEvent: (event) => {
          if (event.type !== 'step-started') return;
          mine.progress.push(event.title);
          told();
        },
      });
    },
  );
  mine.state = 'done';
}
