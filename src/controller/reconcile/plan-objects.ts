/** Plans as objects: created once, never changed, the newest ten of a cluster kept. */
import { gunzipSync, gzipSync } from 'node:zlib';
import { isKubernetesError } from '../../clients/kubernetes/index.js';
import type { Impact, Plan, Step } from '../../session/plan/index.js';
import { totalsOf } from '../../session/plan/index.js';
import { API_VERSION, CLUSTER_LABEL, type FleetObject, MANAGED_BY, PLANS } from '../api/group.js';
import { type Named, type PlanSpec, readPlan } from '../api/objects.js';
import type { ControllerContext } from '../controller-context.js';
import { worstImpact } from '../policy/decide.js';

const KEPT = 10;
/** An object in etcd is 1.5 MiB at most. */
const PART_LENGTH = 512 * 1024;
const SUMMARY_LINES = 50;

/** What the plan belongs to. */
interface PlanOwner {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
}

type PlanPhase = 'Pending' | 'Approved' | 'Applying' | 'Applied' | 'Failed' | 'Interrupted' | 'Superseded';

export function planName(owner: string, planId: string): string {
  return `${owner.slice(0, 200)}-${planId.slice(0, 12)}`;
}

/** Creates the objects of a plan where they are not there; the same plan has the same objects. */
export async function storePlan(
  context: ControllerContext,
  owner: PlanOwner,
  plan: Plan,
  request: string,
): Promise<string> {
  const { client } = context;
  const name = planName(owner.name, plan.planId);
  const existing = await client.get(PLANS, name, owner.namespace);
  if (existing) {
    // Superseded, and now what is to be done again.
    if (phaseOf(readPlan(existing)) === 'Superseded') {
      await setPlanStatus(context, owner.namespace, name, { phase: 'Pending' });
      await supersedePlans(context, owner, name);
    }
    return name;
  }
  const objects = planObjects(owner, plan, request);
  // The first part comes last: whoever finds it finds all.
  for (const object of objects.toReversed()) {
    await client.create(PLANS, object, owner.namespace).catch((error: unknown) => {
      if (!isKubernetesError(error, 'kubernetes.already-exists')) throw error;
    });
  }
  const { downtime } = totalsOf(plan);
  await setPlanStatus(context, owner.namespace, name, {
    phase: 'Pending',
    summary: summaryOf(plan.steps),
    downtimeSeconds: Math.ceil(downtime.total.most),
  });
  await supersedePlans(context, owner, name);
  return name;
}

function planObjects(owner: PlanOwner, plan: Plan, request: string): FleetObject[] {
  const packed = gzipSync(JSON.stringify(plan.steps), { level: 9 }).toString('base64');
  const parts = Math.max(1, Math.ceil(packed.length / PART_LENGTH));
  const name = planName(owner.name, plan.planId);
  return Array.from({ length: parts }, (_, index) => ({
    apiVersion: API_VERSION,
    kind: PLANS.kind,
    metadata: {
      name: index === 0 ? name : `${name}-part-${index + 1}`,
      namespace: owner.namespace,
      labels: { ...MANAGED_BY, [CLUSTER_LABEL]: owner.name.slice(0, 63) },
      ownerReferences: [
        { apiVersion: API_VERSION, kind: owner.kind, name: owner.name, uid: owner.uid, controller: true },
      ],
    },
    spec: {
      clusterRef: { name: owner.name },
      planId: plan.planId,
      desired: plan.desired,
      request,
      impact: impactOf(plan),
      stepCount: plan.steps.length,
      part: index + 1,
      parts,
      steps: packed.slice(index * PART_LENGTH, (index + 1) * PART_LENGTH),
    } satisfies PlanSpec,
  }));
}

export function impactOf({ steps }: Pick<Plan, 'steps'>): Impact {
  return worstImpact(steps.map(({ impact }) => impact));
}

function summaryOf(steps: readonly Step[]): string[] {
  const lines = steps
    .slice(0, SUMMARY_LINES)
    .map(({ title, impact }) => `${title.slice(0, 900)} (${impact})`);
  return steps.length > SUMMARY_LINES ? [...lines, `… and ${steps.length - SUMMARY_LINES} more`] : lines;
}

/** A plan with its steps put together again; `undefined`: it is not there, or not whole. */
export async function loadPlan(
  context: Pick<ControllerContext, 'client'>,
  namespace: string,
  name: string,
): Promise<{ readonly spec: PlanSpec; readonly steps: readonly Step[] } | undefined> {
  const first = await context.client.get(PLANS, name, namespace);
  if (!first) return undefined;
  const { spec } = readPlan(first);
  const texts = [spec.steps];
  for (let part = 2; part <= spec.parts; part += 1) {
    const more = await context.client.get(PLANS, `${name}-part-${part}`, namespace);
    if (!more) return undefined;
    texts.push(readPlan(more).spec.steps);
  }
  const steps: Step[] = JSON.parse(gunzipSync(Buffer.from(texts.join(''), 'base64')).toString('utf8'));
  return { spec, steps };
}

export async function setPlanStatus(
  { client }: Pick<ControllerContext, 'client'>,
  namespace: string,
  name: string,
  status: { readonly phase: PlanPhase } & Readonly<Record<string, unknown>>,
): Promise<void> {
  const options = { kind: 'merge', namespace, subresource: 'status' } as const;
  await client.patch(PLANS, name, { status }, options).catch((error: unknown) => {
    if (!isKubernetesError(error, 'kubernetes.not-found')) throw error;
  });
}

/**
 * Older ones are superseded by the current one; beyond ten they are deleted. Without one nothing is left to do, or nothing that
 * can be done: what waited waits no longer.
 */
export async function supersedePlans(
  context: ControllerContext,
  owner: PlanOwner,
  current?: string,
): Promise<void> {
  const all = await plansOf(context, owner);
  const names = [...all].sort((a, b) => age(b) - age(a)).map(({ name }) => name);
  const others = names.filter((name) => name !== current);
  for (const plan of all) {
    const phase = phaseOf(plan);
    if (plan.name !== current && (phase === 'Pending' || phase === 'Approved'))
      await setPlanStatus(context, owner.namespace, plan.name, { phase: 'Superseded' });
  }
  for (const name of others.slice(current === undefined ? KEPT : KEPT - 1)) {
    const parts = all.find((plan) => plan.name === name)?.spec.parts ?? 1;
    for (let part = 2; part <= parts; part += 1)
      await context.client.delete(PLANS, `${name}-part-${part}`, { namespace: owner.namespace });
    await context.client.delete(PLANS, name, { namespace: owner.namespace });
  }
}

async function plansOf({ client }: ControllerContext, owner: PlanOwner): Promise<Named<PlanSpec>[]> {
  const labelSelector = `${CLUSTER_LABEL}=${owner.name.slice(0, 63)}`;
  const objects = await client.list(PLANS, { namespace: owner.namespace, labelSelector });
  return objects.map(readPlan).filter(({ spec }) => spec.part === 1);
}

function age({ object }: Named<PlanSpec>): number {
  return Date.parse(object.metadata.creationTimestamp ?? '') || 0;
}

function phaseOf({ object }: Named<PlanSpec>): string {
  const { status } = object;
  return typeof status === 'object' && status !== null && 'phase' in status
    ? String(status.phase)
    : 'Pending';
}
