/**
 * Takes nodes away one after the other: what disrupts a node is put between a step that makes sure it may go and one
 * that waits until it is back, and the next node waits for that. Control planes first, the etcd leader last of them,
 * then workers, as many at a time as the policy allows.
 */

import type { PolicyConfig } from '../../config/policy-config.js';
import type { NodeDesign } from '../../design/design.js';
import { majorityOf } from '../../model/quorum.js';
import type { Observed } from '../../observe/observed.js';
import { kubeNodeOf } from '../../observe/observed-kubernetes.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { addressNow, isReaddressed } from '../facts/address-now.js';
import { countedNodes, withoutApi } from '../facts/cluster-nodes.js';
import { staysOff } from '../facts/drained-nodes.js';
import { nameBefore } from '../facts/renamed-nodes.js';
import { resetsEtcd } from '../facts/resets-etcd.js';
import { restartsComponent } from '../facts/roll-steps.js';
import { StepOrder } from '../facts/step-order.js';
import type { PlanContext } from '../input.js';
import { isPart, orderKubernetes } from '../kubernetes/order-kubernetes.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import { planSnapshot } from '../recovery/plan-snapshot.js';
import type { StepList } from '../step-list.js';
import type { Step, StepOf } from '../steps.js';
import { hostNeeds } from '../vms/host-needs.js';
import { drainKubelets, isDrainedKubelet } from './drain-kubelets.js';
import { rollOrder } from './going-order.js';
import { planColdStarts } from './plan-cold-starts.js';

/** Steps of a node that take it away while its VM and data stay. */
function disrupts(step: Step): boolean {
  // Parts of Kubernetes are upgraded in an order of their own, while every node is there.
  if (restartsComponent(step) || isPart(step)) return false;
  return step.impact === 'restart' || step.impact === 'component' || step.impact === 'replace';
}

/** A config with another name takes the node away under its old one. */
function takesAway(step: Step, node: NodeDesign, observed: Observed): boolean {
  if (step.node !== node.name) return false;
  return disrupts(step) || (step.kind === 'change-config' && nameBefore(node, observed) !== undefined);
}

export function rollDisruptions(
  given: PlanContext,
  nodes: readonly NodeDesign[],
  policy: RollPolicy,
): Planned {
  return drafted(given, (context) => {
    planColdStarts(context, nodes);
    drainKubelets(context, nodes, policy);
    roll(context, nodes, policy);
    orderKubernetes(context);
  });
}

function roll(context: Draft, nodes: readonly NodeDesign[], policy: RollPolicy): void {
  const { list, observed, design } = context;
  const { drain } = context.asked;
  const stays = (node: NodeDesign) => drain?.stays.has(node.name) === true;
  const open = closeOpenDisruptions(
    context,
    nodes.filter((node) => !stays(node)),
    policy,
  );
  // A cluster that starts again has no one to wait for.
  const startsAgain = resetsEtcd(context);
  const away = nodes
    .filter((node) => !startsAgain || !context.resets.has(node.name))
    .filter((node) => list.steps.some((step) => takesAway(step, node, observed)));
  const gentle = nodes.filter(
    (node) =>
      !away.includes(node) && list.steps.some((step) => step.node === node.name && restartsComponent(step)),
  );
  if (away.length + gentle.length === 0) return;
  const planes = design.nodes.filter((node) => node.role === 'controlplane');
  // A node that is still cordoned comes first: the others wait until it is uncordoned, and that waits for its own change.
  const closing = new Map(
    list.steps.flatMap(({ id, node }) =>
      open.includes(id) && node !== undefined ? [[node, id] as const] : [],
    ),
  );
  const ranked = rollOrder([...away, ...gentle], observed, drain !== undefined);
  const order = [
    ...ranked.filter(({ name }) => closing.has(name)),
    ...ranked.filter(({ name }) => !closing.has(name)),
  ];
  const workers = order.filter((node) => node.role === 'worker').length;
  const ended: { node: NodeDesign; step: string }[] = [];
  for (const node of order) {
    if (gentle.includes(node)) {
      // Nodes that are cordoned wait for each other's change, not for each other's end.
      const ends = closing.has(node.name) ? [] : open;
      ended.push({ node, step: takeTurn(list, node, [...ends, ...ended.map((other) => other.step)]) });
      continue;
    }
    const turns = ended.filter((other) => gentle.includes(other.node)).slice(-1);
    const before = [
      ...open,
      ...(drain ? ended.slice(-1).map((other) => other.step) : predecessors(node, ended, order, policy)),
      ...turns.map((other) => other.step),
    ];
    // Those that stay off with their host were agreed to; no one waits for them.
    const counted = countedNodes(
      design.nodes.filter(
        (other) => other.name !== node.name && !(drain && (stays(other) || staysOff(other, observed))),
      ),
      observed,
    );
    const goesAs = nameBefore(node, observed);
    const rules = {
      ...(goesAs !== undefined && { goesAs }),
      // Those that went before have their new addresses by then.
      controlPlanes: planes.map((plane) => ({
        name: plane.name,
        ip: ended.some((other) => other.node.name === plane.name) ? plane.ip : addressNow(plane, observed),
      })),
      ...counted,
      ...withoutApi(observed),
      maxAway: node.role === 'worker' ? workersAway(policy.maxUnavailable.workers, workers) : 1,
      gates: policy.gates,
      // No one in a VM that is off would carry out an eviction.
      ...(counted.others.length > 0 &&
        visibleVm(observed, node.talosVm.vmid)?.status !== 'stopped' && { drain: policy.drain }),
    };
    ended.push({ node, step: wrap(context, node, before, rules, stays(node)) });
  }
  if (gentle.length > 0) list.sortByNeeds();
}

export type RollPolicy = Pick<
  PolicyConfig,
  'maxUnavailable' | 'spreadHosts' | 'drain' | 'gates' | 'outage' | 'upgrade'
>;

type Rules = Pick<
  StepOf<'begin-disruption'>,
  'goesAs' | 'controlPlanes' | 'others' | 'formerNames' | 'apiDown' | 'maxAway' | 'gates' | 'drain'
>;

/** A run that stopped in the middle left its node cordoned; one that has nothing more to change is uncordoned. */
function closeOpenDisruptions(
  { list, observed, asked }: Draft,
  nodes: readonly NodeDesign[],
  { gates }: RollPolicy,
): string[] {
  const returned = asked.hostReturn !== undefined;
  const known = observed.kubernetes?.nodes;
  const cordoned = known?.known ? known.value.filter((node) => node.cordonedByUs) : [];
  return (
    nodes
      .filter((node) => kubeNodeOf(node.name, cordoned) !== undefined)
      .filter((node) => !list.steps.some((step) => takesAway(step, node, observed)))
      // Its kubelet does not run: the step that waits for it uncordons the node.
      .filter(({ name }) => !list.steps.some((step) => step.node === name && isDrainedKubelet(step)))
      .map((node) =>
        list.add(node.name, {
          kind: 'end-disruption',
          node: node.name,
          title: `uncordon ${node.name}`,
          reasons: [
            returned
              ? `${asked.hostReturn} is back from maintenance`
              : 'cordoned by an earlier run that did not finish',
          ],
          impact: 'live',
          needs: list.steps.filter((step) => step.node === node.name && !isPart(step)).map((step) => step.id),
          ip: node.ip,
          role: node.role,
          vmid: node.talosVm.vmid,
          load: { host: node.host },
          ...(returned && gates.length > 0 && { gates }),
        }),
      )
  );
}

/** The steps after which this node may go. */
function predecessors(
  node: NodeDesign,
  ended: readonly { node: NodeDesign; step: string }[],
  order: readonly NodeDesign[],
  { maxUnavailable, spreadHosts }: RollPolicy,
): string[] {
  const planes = ended.filter((other) => other.node.role === 'controlplane');
  if (node.role === 'controlplane') return ended.slice(-1).map((other) => other.step);
  const workers = ended.filter((other) => other.node.role === 'worker');
  const allowed = workersAway(
    maxUnavailable.workers,
    order.filter((other) => other.role === 'worker').length,
  );
  const lane = workers[workers.length - allowed];
  const sameHost = spreadHosts ? workers.filter((other) => other.node.host === node.host).slice(-1) : [];
  return [...planes.slice(-1), ...(lane ? [lane] : []), ...sameHost].map((other) => other.step);
}

/** At least one: a policy that lets no node be drained would stop every change. */
export function workersAway(limit: number | `${number}%`, workers: number): number {
  const number = typeof limit === 'number' ? limit : Math.floor((Number.parseFloat(limit) / 100) * workers);
  return Math.max(1, number);
}

/** One node at a time: the step itself waits until what it restarted is healthy. */
function takeTurn(list: StepList, node: NodeDesign, before: readonly string[]): string {
  const own = list.steps.filter((step) => step.node === node.name && restartsComponent(step));
  const ids = own.map((step) => step.id);
  for (const need of before) list.addNeeds(ids, need);
  return ids[0] ?? '';
}

/** Returns the step after which the node is back. */
function wrap(
  context: Draft,
  node: NodeDesign,
  before: readonly string[],
  rules: Rules,
  stays: boolean,
): string {
  const { list, resets, observed } = context;
  const { controlPlanes } = rules;
  // Its peers must find it at another address: what etcd holds is safe on disk before.
  const snapshot =
    node.role === 'controlplane' && isReaddressed(node, observed) ? [planSnapshot(context)] : [];
  const named = list.steps.find((step) => step.kind === 'change-config' && takesAway(step, node, observed));
  if (named) nameFirst(list, node, named.id);
  changeAfterMove(list, node);
  const own = list.steps.filter((step) => step.node === node.name && !isPart(step));
  const first = own.filter((step) => takesAway(step, node, observed) || restartsComponent(step));
  const within = new Set(first.map((step) => step.id));
  // What comes after the node has gone belongs to its absence as well.
  for (let grown = true; grown; ) {
    grown = false;
    for (const step of own) {
      if (!within.has(step.id) && step.needs.some((need) => within.has(need))) {
        within.add(step.id);
        grown = true;
      }
    }
  }
  const common = {
    node: node.name,
    impact: 'none' as const,
    ip: node.ip,
    role: node.role,
    vmid: node.talosVm.vmid,
    load: { host: node.host },
  };
  const outage = node.role === 'controlplane' && controlPlanes.length <= 2;
  const begin = list.add(node.name, {
    ...common,
    kind: 'begin-disruption',
    ip: addressNow(node, observed),
    title: rules.drain ? `drain ${node.name}` : `check that ${node.name} may go down`,
    reasons: [quorumWords(node, controlPlanes.length, rules.drain !== undefined)],
    needs: [
      ...before,
      ...snapshot,
      ...first.flatMap((step) => step.needs.filter((need) => !within.has(need))),
    ],
    outage,
    ...(resets.has(node.name) && { newMember: true }),
    ...(stays ? { stays } : { start: hostNeeds(node) }),
    ...rules,
  });
  const end = stays
    ? undefined
    : list.add(node.name, {
        ...common,
        kind: 'end-disruption',
        title: `wait until ${node.name} is Ready`,
        reasons: [
          node.role === 'controlplane'
            ? `machine running, ${resets.has(node.name) ? 'a voting' : 'the same'} etcd member, node Ready`
            : 'machine running, node Ready',
        ],
        needs: [...within],
        ...(rules.gates.length > 0 && { gates: rules.gates }),
        ...(rules.apiDown && { apiDown: true }),
      });
  list.addNeeds(
    first.map((step) => step.id),
    begin,
  );
  list.moveBefore(begin, [...within]);
  return end ?? first.at(-1)?.id ?? begin;
}

/** A machine that moves is told what restarts its components once it runs at its new place. */
function changeAfterMove(list: StepList, node: NodeDesign): void {
  const own = list.steps.filter((step) => step.node === node.name);
  if (!own.some((step) => step.kind === 'migrate-vm')) return;
  const arrived = own.filter((step) => step.kind === 'migrate-vm' || step.kind === 'start-vm');
  const changes = own.filter(restartsComponent).map((step) => step.id);
  for (const step of arrived) list.addNeeds(changes, step.id);
  const [last] = arrived.slice(-1);
  if (last) list.moveAfter(last.id, changes);
}

/**
 * A machine starts with its new name, so that it does not register with the old one once more; a config that only the new
 * Talos knows brings its name after the upgrade.
 */
function nameFirst(list: StepList, node: NodeDesign, named: string): void {
  const own = list.steps.filter((step) => step.node === node.name);
  const order = new StepOrder(own);
  const later = own
    .filter((step) => step.id !== named && disrupts(step) && !order.isBefore(step.id, named))
    .map((step) => step.id);
  list.addNeeds(later, named);
  list.moveBefore(named, later);
}

function quorumWords(node: NodeDesign, controlPlanes: number, drained: boolean): string {
  const emptied = drained ? 'cordon, then drain' : 'it is not drained';
  if (node.role === 'worker') return emptied;
  const needed = majorityOf(controlPlanes);
  if (controlPlanes <= 2) {
    return `with ${controlPlanes} control plane${controlPlanes === 1 ? '' : 's'} the Kubernetes API is unavailable meanwhile; an etcd snapshot is taken first`;
  }
  return `${needed} of ${controlPlanes} etcd members keep running; ${emptied}`;
}
