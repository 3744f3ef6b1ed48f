/** From a plan that is not empty to its end: stored, decided on, applied or waited with. */
import { differingSteps, type PlanRequest, type PreparedPlan } from '../../session/plan/index.js';
import { CLUSTERS } from '../api/group.js';
import { type ClusterSpec, type Named, readStatus } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { fails, holds, stalled, type Verdicts, waiting } from '../policy/conditions.js';
import { continues } from '../policy/continues.js';
import { type Decision, decide } from '../policy/decide.js';
import { nextWindow } from '../policy/windows.js';
import { applyIt } from './apply-decided.js';
import { type Approvals, approvalsFor, closeApproval } from './approvals.js';
import { recordEvent } from './events.js';
import { lastFailure } from './last-run.js';
import type { ClusterAccess } from './open-cluster.js';
import { impactOf, loadPlan, planName, storePlan, supersedePlans } from './plan-objects.js';
import { type StatusFacts, timestamp, writeStatus } from './write-status.js';

export interface Pursuit {
  readonly cluster: Named<ClusterSpec>;
  readonly access: ClusterAccess;
  readonly prepared: PreparedPlan;
  /** What was found so far. */
  readonly verdicts: Verdicts;
  readonly facts: StatusFacts;
  readonly self: boolean;
  readonly destroy?: boolean;
}

export async function pursuePlan(context: ControllerContext, pursuit: Pursuit): Promise<number> {
  const { cluster, prepared, facts } = pursuit;
  const { plan } = prepared;
  const { namespace, name, uid } = cluster;
  const owner = { kind: CLUSTERS.kind, namespace, name, uid };
  const last = readStatus(cluster.object).plan;
  // Without steps it is refused as a whole: there is nothing to approve, so no object either.
  const isEmpty = plan.steps.length === 0;
  const stored = isEmpty ? '' : await storePlan(context, owner, plan, describeRequest(prepared.request));
  if (isEmpty && last) await supersedePlans(context, owner);
  if (!isEmpty && last?.planId !== plan.planId) {
    const text = `plan ${plan.planId.slice(0, 12)}: ${plan.steps.length} steps, impact ${impactOf(plan)}`;
    await recordEvent(context, cluster.object, 'Normal', 'PlanCreated', text);
  }
  context.metrics.set('oxherd_cluster_plan_steps', plan.steps.length, { namespace, name });
  const approvals = await approvalsFor(context, cluster, plan.planId);
  const decision = await decisionOn(context, pursuit, approvals);
  await voidApprovals(context, pursuit, approvals, decision.continues);
  const shown = isEmpty ? { ...facts, plan: null } : { ...facts, ...planFacts(context, pursuit, stored) };
  const base = { ...pursuit.verdicts, InSync: fails('Differs', `${plan.steps.length} steps to apply`) };
  if (decision.do !== 'apply') {
    // Whether the lock is free is seen when it is wanted.
    const verdicts = { ...base, LockHeld: fails('NotWanted', ''), ...verdictsOf(decision) };
    await writeStatus(context, cluster, verdicts, shown);
    return againAfter(context, pursuit, decision);
  }
  return applyIt(context, pursuit, { stored, decision, approvals, base, shown });
}

/** In a few words, the same for the same plan. */
function describeRequest(request: PlanRequest): string {
  return 'host' in request ? `${request.kind} ${request.host}` : request.kind;
}

type Decided = Decision & {
  /** The plan whose approved run is finished by this one. */
  readonly continues?: string;
  /** Why the last run failed, where that is what a person has to look at. */
  readonly failed?: string;
};

async function decisionOn(
  context: ControllerContext,
  pursuit: Pursuit,
  approvals: Approvals,
): Promise<Decided> {
  const { cluster, prepared, self, destroy = false } = pursuit;
  const { plan } = prepared;
  const status = readStatus(cluster.object);
  const { run } = status;
  const before =
    run?.approvedBy === undefined
      ? undefined
      : await loadPlan(context, cluster.namespace, planName(cluster.name, run.planId));
  const rest = before !== undefined && continues({ desired: before.spec.desired, steps: before.steps }, plan);
  const problem = plan.problems.find(({ scope }) => scope === 'plan');
  const failed = lastFailure(cluster.object, approvals.valid);
  const decision = decide({
    policy: failed === undefined ? cluster.spec.policy : { ...cluster.spec.policy, auto: 'none' },
    impact: impactOf(plan),
    outage: plan.notes.some(({ code }) => code === 'outage'),
    now: context.time.now(),
    destroy,
    ...(problem && { problem: `${problem.message} (${problem.advice})` }),
    ...(approvals.given && { approval: approvals.given }),
    ...(rest && run?.approvedBy !== undefined && { continues: { by: run.approvedBy } }),
    ...(self && { most: 'component' as const }),
  });
  const known = { ...(rest && run && { continues: run.planId }) };
  if (failed === undefined || decision.do !== 'wait' || decision.reason !== 'AwaitingApproval')
    return { ...decision, ...known };
  const message = `the last run failed: ${failed}; approve the plan to try again`;
  return { ...decision, ...known, message, failed };
}

/** Approvals of plans that are no more; each is said once. */
async function voidApprovals(
  context: ControllerContext,
  { cluster, prepared }: Pursuit,
  { stale }: Approvals,
  continued: string | undefined,
): Promise<void> {
  for (const { name, by, planId } of stale) {
    if (planId === continued) {
      // Its run was cut off before it could say so.
      await closeApproval(context, cluster.namespace, name, 'Used', `run of plan ${planId.slice(0, 12)}`);
      continue;
    }
    const approved = await loadPlan(context, cluster.namespace, planName(cluster.name, planId));
    const differs = approved ? differingSteps(approved, prepared.plan).slice(0, 5) : [];
    const message = `approval by ${by} is for plan ${planId.slice(0, 12)}; the plan is now ${prepared.plan.planId.slice(0, 12)}${differs.length === 0 ? '' : `: ${differs.join('; ')}`}`;
    await closeApproval(context, cluster.namespace, name, 'Stale', message);
    await recordEvent(context, cluster.object, 'Warning', 'ApprovalStale', message);
  }
}

function planFacts(
  { time }: ControllerContext,
  { cluster, prepared: { plan } }: Pursuit,
  stored: string,
): StatusFacts {
  const window = nextWindow(cluster.spec.policy.windows, time.now());
  return {
    plan: {
      planId: plan.planId,
      shortId: plan.planId.slice(0, 12),
      name: stored,
      impact: impactOf(plan),
      steps: plan.steps.length,
    },
    nextWindow: window ? timestamp(window.from) : null,
  };
}

type Undone = Exclude<Decision, { do: 'apply' }>;

function verdictsOf(decision: Undone & Pick<Decided, 'failed'>): Verdicts {
  if (decision.do === 'refuse') {
    return { ...stalled(decision.reason, decision.message), AwaitingApproval: fails(decision.reason, '') };
  }
  const awaits = decision.reason === 'AwaitingApproval';
  return {
    ...(decision.failed === undefined
      ? waiting(decision.reason, decision.message)
      : stalled('RunFailed', decision.message)),
    AwaitingApproval: awaits ? holds('AwaitingApproval', decision.message) : fails(decision.reason, ''),
  };
}

function againAfter({ time }: ControllerContext, { cluster }: Pursuit, decision: Decision): number {
  const { interval } = cluster.spec;
  if (decision.do !== 'wait' || decision.until === undefined) return interval;
  return Math.min(interval, Math.max(0, decision.until - time.now()));
}
