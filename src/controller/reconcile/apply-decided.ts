/** Carries out a plan that was decided on, and says in the objects how it went. */
import { OxherdError } from '../../model/error.js';
import type { RunEvent } from '../../model/events.js';
import { CLUSTERS } from '../api/group.js';
import { type ClusterSpec, type Named, readStatus } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { fails, holds, progress, stalled, type Verdicts } from '../policy/conditions.js';
import type { Decision } from '../policy/decide.js';
import { type Approvals, closeApproval } from './approvals.js';
import { recordEvent } from './events.js';
import { setPlanStatus } from './plan-objects.js';
import type { Pursuit } from './pursue-plan.js';
import { type RunEnd, runCluster } from './run-cluster.js';
import { type StatusFacts, timestamp, writeStatus } from './write-status.js';

/** After a run, or where another replica is at it. */
const SOON_MS = 1_000;
const BUSY_MS = 20_000;
const LOCKED_MS = 60_000;

interface Application {
  readonly stored: string;
  readonly decision: Extract<Decision, { do: 'apply' }>;
  readonly approvals: Approvals;
  readonly base: Verdicts;
  readonly shown: StatusFacts;
}

export async function applyIt(
  context: ControllerContext,
  pursuit: Pursuit,
  application: Application,
): Promise<number> {
  const { cluster, access, prepared } = pursuit;
  const { stored, decision, approvals, base, shown } = application;
  const { plan } = prepared;
  const { namespace, object } = cluster;
  const report = progressReport(context, cluster, plan.steps.length);
  const begun = context.time.elapsed();
  const end = await runCluster(context, {
    cluster,
    access,
    request: prepared.request,
    plan,
    ...(decision.until !== undefined && { until: decision.until }),
    onStart: async ({ epoch }) => {
      const run = {
        planId: plan.planId,
        desired: plan.desired,
        holder: context.identity,
        epoch,
        startedAt: timestamp(context.time.now()),
        approvedBy: decision.approvedBy ?? null,
        of: plan.steps.length,
        done: 0,
      };
      await writeStatus(
        context,
        cluster,
        { ...base, ...progress('Applying', `applying ${stored}`), AwaitingApproval: fails('Approved', '') },
        { ...shown, run },
      );
      await setPlanStatus(context, namespace, stored, {
        phase: 'Applying',
        ...(decision.approvedBy !== undefined && { approvedBy: decision.approvedBy }),
      });
      // All of them: a plan that comes back later is approved again.
      for (const { name } of approvals.open)
        await closeApproval(context, namespace, name, 'Used', `run of ${stored} by ${context.identity}`);
      const by = decision.approvedBy === undefined ? 'by policy' : `approved by ${decision.approvedBy}`;
      await recordEvent(context, object, 'Normal', 'RunStarted', `applying ${stored} (${by})`);
    },
    onEvent: report.onEvent,
  });
  await report.ended();
  context.metrics.add('oxherd_runs_total', { outcome: end.end });
  context.metrics.observe('oxherd_run_seconds', (context.time.elapsed() - begun) / 1_000);
  return afterRun(context, pursuit, application, end);
}

async function afterRun(
  context: ControllerContext,
  { cluster, prepared: { plan } }: Pursuit,
  { stored, base, shown }: Application,
  end: RunEnd,
): Promise<number> {
  const { object, namespace } = cluster;
  const lastRun = { planId: plan.planId, outcome: end.end, finishedAt: timestamp(context.time.now()) };
  switch (end.end) {
    case 'busy':
      // Whoever works on it says how far it is.
      if (end.on === 'cluster') return BUSY_MS;
      await writeStatus(context, cluster, { ...base, ...progress('Busy', `waiting for ${end.by}`) }, shown);
      return BUSY_MS;
    case 'changed':
      await recordEvent(
        context,
        object,
        'Warning',
        'PlanChanged',
        `nothing was applied: the plan is another one now: ${end.differs.slice(0, 5).join('; ')}`,
      );
      return SOON_MS;
    case 'locked':
      if (!readStatus(object).conditions.some(({ type, status }) => type === 'LockHeld' && status === 'True'))
        await recordEvent(context, object, 'Warning', 'LockHeld', end.message);
      await writeStatus(
        context,
        cluster,
        { ...base, ...progress('LockHeld', end.message), LockHeld: holds('Held', end.message) },
        shown,
      );
      return LOCKED_MS;
    case 'done':
      await setPlanStatus(context, namespace, stored, { phase: 'Applied', finishedAt: lastRun.finishedAt });
      await recordEvent(context, object, 'Normal', 'RunDone', `applied ${stored}`);
      await writeStatus(
        context,
        cluster,
        { ...base, ...progress('Applied', 'checking the result'), LockHeld: fails('Free', '') },
        { run: null, lastRun },
      );
      return 0;
    case 'interrupted':
      // The next holder of the lease writes now.
      if (end.leaseLost) return SOON_MS;
      await setPlanStatus(context, namespace, stored, { phase: 'Interrupted', message: end.message });
      await recordEvent(
        context,
        object,
        'Warning',
        'RunInterrupted',
        `${stored} was interrupted: ${end.message === '' ? 'stopped' : end.message}`,
      );
      await writeStatus(context, cluster, { ...base, ...progress('Interrupted', end.message) }, { lastRun });
      return end.message === '' ? SOON_MS : BUSY_MS;
    case 'failed': {
      const { generation } = cluster;
      await setPlanStatus(context, namespace, stored, {
        phase: 'Failed',
        message: end.message,
        finishedAt: lastRun.finishedAt,
      });
      await recordEvent(context, object, 'Warning', 'RunFailed', `${stored} failed: ${end.message}`);
      await writeStatus(
        context,
        cluster,
        { ...base, ...stalled('RunFailed', end.message) },
        { run: null, lastRun: { ...lastRun, message: end.message, generation } },
      );
      return SOON_MS;
    }
  }
}

/** The step that is under way, in the status; not more often than the API should be asked. */
function progressReport(context: ControllerContext, { namespace, name }: Named<ClusterSpec>, of: number) {
  const EVERY = 5_000;
  let last = Number.NEGATIVE_INFINITY;
  let done = 0;
  let writing: Promise<unknown> = Promise.resolve();
  return {
    onEvent(event: RunEvent): void {
      if (event.type === 'step-done') done += 1;
      const write = event.type === 'step-failed' ? context.log.error : context.log.info;
      write(event.type, { namespace, name, event });
      if (event.type !== 'step-started') return;
      if (context.time.elapsed() - last < EVERY) return;
      last = context.time.elapsed();
      const status = { run: { step: event.title.slice(0, 1024), done, of } };
      const options = { kind: 'merge', namespace, subresource: 'status' } as const;
      writing = writing
        .then(() => context.client.patch(CLUSTERS, name, { status }, options))
        .catch((error: unknown) =>
          context.log.error('progress could not be written', { error: OxherdError.from(error).message }),
        );
    },
    ended: () => writing,
  };
}
