/** The VMs of one node: moved, created, changed, or left on a host that is drained. */

import type { NodeDesign } from '../../design/design.js';
import { isAbsent, visibleVm } from '../../observe/observed-vms.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import { type Draft, drafted, type Planned, withoutSteps } from '../planned.js';
import { planEphemeralReset } from '../recovery/plan-ephemeral-reset.js';
import { planLostMember } from '../recovery/plan-lost-member.js';
import type { HostDecision } from '../vms/node-host.js';
import { planDataVm } from '../vms/plan-data-vm.js';
import { planHostMove } from '../vms/plan-host-move.js';
import { imageKey, imageOf } from '../vms/plan-images.js';
import { planTalosVm } from '../vms/plan-talos-vm.js';
import { planDrainMark, planStay } from './plan-drain.js';
import { strandedProblems } from './stranded-vms.js';

/** A node that leaves a host for its maintenance is noted first; one that stays there is only shut down. */
export function planNodeOrStay(
  given: PlanContext,
  node: NodeDesign,
  images: ReadonlyMap<string, string | undefined>,
  move: HostDecision['move'],
): Planned {
  return drafted(given, (context) => {
    if (planStay(context, node)) return;
    const before = context.list.steps.length;
    context.take(planNode(context, node, images, move));
    planDrainMark(context, node, context.list.steps.slice(before));
  });
}

/** A node with a problem of its own is left as it is. */
function planNode(
  given: PlanContext,
  node: NodeDesign,
  images: ReadonlyMap<string, string | undefined>,
  move: HostDecision['move'],
): Planned {
  const planned = drafted(given, (context) => planVms(context, node, images, move));
  const left = !planned.value || planned.problems.some((problem) => problem.node === node.name);
  return { ...(left ? withoutSteps(given, planned) : planned), value: undefined };
}

/** `false`: it cannot be planned, and that is said. */
function planVms(
  context: Draft,
  node: NodeDesign,
  images: ReadonlyMap<string, string | undefined>,
  move: HostDecision['move'],
): boolean {
  const { list, observed, problems } = context;
  const lost = context.take(planLostMember(context, node));
  const renewal = context.take(planEphemeralReset(context, node));
  if (
    node.dataVm &&
    visibleVm(observed, node.talosVm.vmid) &&
    isAbsent(observed, node.dataVm.vmid) &&
    !renewal
  ) {
    problems.push({
      code: 'data-vm-missing',
      scope: 'plan',
      node: node.name,
      message: `VM ${node.talosVm.vmid} exists, but the data VM ${node.dataVm.vmid} that owns its disks is missing`,
      advice: `restore VM ${node.dataVm.vmid} from a backup; if its data is lost for good: oxherd apply --fresh --only ${node.name} --confirm ${context.design.cluster.name}`,
    });
  }
  if (renewal && move) problems.push(oneAtATime(node));
  if (!renewal) problems.push(...strandedProblems(node, observed));
  const moves = move !== undefined && !renewal;
  const moved = moves ? context.take(planHostMove(context, node, move)) : undefined;
  if ((moves && !moved) || context.problems.some((problem) => problem.node === node.name)) return false;
  const first = list.steps.length;
  // What else is planned for the node starts from its VMs as they are after the move.
  const there: PlanContext = { ...context, ...moved?.there };
  const ready = node.dataVm ? context.take(planDataVm(there, node, node.dataVm, [lost])) : new Map();
  if (!ready) return false;
  const image = imageOf(context.design, node);
  const imageStep = image && images.get(imageKey(node.host, image.volid));
  context.take(planTalosVm(there, node, ready, { image: imageStep, lost }));
  if (moved?.last !== undefined) {
    const later = list.steps.slice(first).map((step) => step.id);
    list.addNeeds(later, moved.last);
  }
  return true;
}

function oneAtATime(node: NodeDesign): Problem {
  return {
    code: 'host-move',
    scope: 'node',
    node: node.name,
    message: `${node.name} gets a new disk and cannot move to ${node.host} by the same plan`,
    advice: 'leave its host as it was, apply, then change it',
  };
}
