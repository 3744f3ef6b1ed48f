/** From a Talos cluster to one that people can use: network, objects, access of the storage driver. */

import type { KubernetesDesign } from '../../design/kubernetes/kubernetes-design.js';
import { type ManagedObject, refKey, refText } from '../../design/kubernetes/managed-object.js';
import { type KubeNode, kubeNodeOf } from '../../observe/observed-kubernetes.js';
import { driftOf } from '../drift/drift-authors.js';
import type { PlanContext } from '../input.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import { planClaims } from './csi/plan-csi-claims.js';
import { planCsiDriver } from './csi/plan-csi-driver.js';
import { planCsiToken } from './csi/plan-csi-token.js';
import { isUndecided } from './csi/plan-csi-volumes.js';
import {
  type AppliedObjects,
  type KubernetesDraft,
  type KubernetesPlan,
  part,
  readPart,
} from './kubernetes-part.js';
import { whyApply } from './object-diff.js';
import { planCilium } from './plan-cilium.js';
import { planExtraManifests } from './plan-extra-manifests.js';
import { planGitops, planGitopsSource } from './plan-gitops.js';
import { planLoadBalancerRemoval } from './plan-load-balancer.js';
import { planNodeMarks } from './plan-node-marks.js';

export function planKubernetes(given: PlanContext, design: KubernetesDesign): Planned {
  return drafted(given, (context) => {
    const { observed } = context;
    const answers = Object.values(observed.kubernetes?.endpoints ?? {}).some((ready) => ready);
    const there = answers ? observed.kubernetes : undefined;
    if (!there && !comesUp(context)) {
      context.notes.push({
        code: 'unknown',
        message: 'no Kubernetes API server answers; nothing is planned in the cluster',
      });
      return;
    }
    const plan: KubernetesPlan = {
      context,
      design,
      there,
      api: there ? undefined : context.take(planApi(context)),
    };
    const network = context.take(planCilium(plan));
    const applied = context.take(planObjects(plan, { late: false, needs: [] }));
    const token = context.take(planCsiToken(plan, applied));
    context.take(planCsiDriver(plan, applied, [network, token]));
    context.take(planSealedKey(plan, applied));
    context.take(planClaims(plan));
    context.take(planExtraManifests(plan));
    context.take(noteLeftovers(plan));
    const ready = context.take(planNodes(plan, network));
    const engine = context.take(planGitops(plan, ready));
    const late = context.take(planObjects(plan, { late: true, needs: [ready, engine] }));
    context.take(planLoadBalancerRemoval(plan));
    context.take(planGitopsSource(plan, engine, late));
    context.take(planNodeMarks(plan));
  });
}

/** This plan starts or configures a control plane. */
function comesUp({ list, design }: PlanContext): boolean {
  const names = new Set(design.nodes.filter((node) => node.role === 'controlplane').map((node) => node.name));
  return list.steps.some(
    (step) => step.kind === 'await-machine' && step.node !== undefined && names.has(step.node),
  );
}

function planApi(given: PlanContext): Planned<string> {
  return drafted(given, awaitApi);
}

function awaitApi({ list, design }: Draft): string {
  const controlPlanes = new Set(
    design.nodes.filter((node) => node.role === 'controlplane').map((node) => node.name),
  );
  return list.add('kubernetes', {
    kind: 'await-api',
    title: 'wait until the Kubernetes API answers',
    reasons: ['objects are applied through it'],
    impact: 'none',
    needs: list.steps
      .filter((step) => step.kind === 'await-machine' && controlPlanes.has(step.node ?? ''))
      .map((step) => step.id),
  });
}

/** Objects of kinds that an operator brings need it to run, and so nodes with a network. */
function isLate({ origin }: ManagedObject): boolean {
  return origin === 'kubernetes.loadBalancer' || origin === 'kubernetes.gitops';
}

interface Turn {
  readonly late: boolean;
  readonly needs: readonly (string | undefined)[];
}

function planObjects(given: KubernetesPlan, turn: Turn): Planned<AppliedObjects> {
  return part(given, (plan) => applyObjects(plan, turn));
}

function applyObjects(plan: KubernetesDraft, turn: Turn): AppliedObjects {
  const { context, design } = plan;
  const applied = new Map<string, string>();
  for (const object of design.objects.filter((each) => isLate(each) === turn.late)) {
    if (object.ref.kind === 'PersistentVolume' && isUndecided(context, object.ref.name)) continue;
    const reason = whyApply(plan, object);
    if (reason === undefined) continue;
    const { ref } = object;
    const step = context.list.add(refText(ref), {
      kind: 'apply-object',
      ...(reason.isNew && { action: 'create' as const }),
      title: `${reason.isNew ? 'create' : 'change'} ${refText(ref)}`,
      reasons: reason.reasons,
      ...driftOf(reason.reasons.map((why) => [why, reason.by])),
      impact: reason.isNew ? 'none' : 'live',
      needs: [
        plan.api,
        ...turn.needs,
        ...earlierNeeds(design.objects, object, applied),
        ...volumeSteps(plan, object),
      ],
      object: ref,
      hash: object.hash,
    });
    applied.set(refKey(ref), step);
  }
  return applied;
}

/** Its namespace, and the definitions of custom kinds that come before it. */
function earlierNeeds(
  objects: readonly ManagedObject[],
  { ref }: ManagedObject,
  applied: AppliedObjects,
): (string | undefined)[] {
  return objects
    .filter(
      ({ ref: other }) =>
        (other.kind === 'Namespace' && other.name === ref.namespace) ||
        (other.kind === 'CustomResourceDefinition' && ref.kind !== 'CustomResourceDefinition'),
    )
    .map(({ ref: other }) => applied.get(refKey(other)));
}

/** A PersistentVolume says the size of its disk once the disk has it. */
function volumeSteps({ context }: KubernetesDraft, { ref }: ManagedObject): string[] {
  if (ref.kind !== 'PersistentVolume') return [];
  const volume = context.design.csiVolumes.find((candidate) => candidate.name === ref.name);
  if (!volume) return [];
  const created = context.list.steps.flatMap((step) =>
    step.kind === 'create-csi-volume' && step.volumeName === volume.volumeName ? [step.id] : [],
  );
  const grown = context.list.idOf('grow-csi-volume', volume.name);
  return grown === undefined ? created : [...created, grown];
}

function planSealedKey(given: KubernetesPlan, applied: AppliedObjects): Planned {
  return part(given, (plan) => createSealedKey(plan, applied));
}

function createSealedKey({ context, design, there, api }: KubernetesDraft, applied: AppliedObjects): void {
  if (!design.generateSealedKey) return;
  const hasKey = there ? readPart(context, 'keys of Sealed Secrets', there.sealedKey) : false;
  if (hasKey !== false) return;
  context.list.add('sealed-secrets', {
    kind: 'create-sealed-key',
    title: 'create the sealed-secrets key pair',
    reasons: [there ? 'the cluster has none' : 'the cluster may have none'],
    impact: 'none',
    needs: [api, applied.get('v1 Namespace sealed-secrets')],
  });
}

/** Ours by label, and not in oxherd.yaml any more: data may hang on them, so they are left. */
function noteLeftovers(given: KubernetesPlan): Planned {
  return part(given, noteObjects);
}

function noteObjects({ context, design, there }: KubernetesDraft): void {
  const ours = there && readPart(context, 'PersistentVolumes and StorageClasses of oxherd', there.ours);
  const wanted = new Set(design.objects.map(({ ref }) => `${ref.kind} ${ref.name}`));
  for (const { kind, name } of ours ?? []) {
    if (wanted.has(`${kind} ${name}`)) continue;
    context.notes.push({
      code: 'left-alone',
      message: `${kind} ${name} is no longer in oxherd.yaml and is left in the cluster; \`kubectl delete ${kind.toLowerCase()} ${name}\` removes it, its disk is kept`,
    });
  }
}

/** Nodes become Ready when they have a network; Talos alone does not wait for that. */
function planNodes(given: KubernetesPlan, network: string | undefined): Planned<string | undefined> {
  return part(given, (plan) => awaitNodes(plan, network));
}

function awaitNodes(
  { context, there, api }: KubernetesDraft,
  network: string | undefined,
): string | undefined {
  const { list, design } = context;
  const machines = list.steps.filter((step) => step.kind === 'await-machine').map((step) => step.id);
  const names = design.nodes.map((node) => node.name);
  const objects = there && readPart(context, 'old names of nodes', there.nodes);
  const old = formerNames(objects ?? [], names);
  if (machines.length === 0 && network === undefined && old.length === 0) return undefined;
  return list.add('ready', {
    kind: 'await-nodes',
    title: `wait until ${design.nodes.length === 1 ? 'the node is' : `all ${design.nodes.length} nodes are`} Ready`,
    reasons: [
      old.length === 0
        ? 'new nodes or network; old names of renamed nodes are removed'
        : `${old.join(', ')}: old names of renamed nodes are removed`,
    ],
    impact: 'none',
    needs: [api, network, ...machines],
    nodes: names,
  });
}

/** Nodes of machines that are in the cluster under another name, too. */
function formerNames(nodes: readonly KubeNode[], names: readonly string[]): string[] {
  const isWanted = (node: KubeNode) => names.some((name) => kubeNodeOf(name, nodes) === node);
  const machines = new Set(nodes.filter(isWanted).map((node) => node.systemUuid));
  return nodes
    .filter((node) => !isWanted(node) && node.systemUuid !== '' && machines.has(node.systemUuid))
    .map((node) => node.name);
}
