/** The steps around a node that leaves its host for a while, or comes back to it. */
import type { NodeDesign } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { drainOf, ownerVm } from '../facts/drained-nodes.js';
import { vmView } from '../facts/view-of-vm.js';
import type { HostDrain, PlanContext } from '../input.js';
import type { HostDecision } from '../vms/node-host.js';

/** Where a node is when the plan is done that takes it away from a host or back to one. */
export function requestedPlace(node: NodeDesign, observed: Observed, to: string, why: string): HostDecision {
  const from = [node.talosVm.vmid, node.dataVm?.vmid ?? node.talosVm.vmid]
    .flatMap((vmid) => observed.vms[vmid]?.host ?? [])
    .find((host) => host !== to);
  return { host: to, ...(from !== undefined && { move: { from, why } }) };
}

/** Noted before it goes, so that a run that is cut off leaves nothing that looks like drift. */
export function planDrainMark(
  { list, observed }: PlanContext,
  node: NodeDesign,
  { host: drainedFrom, forSeconds }: HostDrain,
): string | undefined {
  const owner = ownerVm(node, observed);
  if (!owner || drainOf(node, observed)?.host === drainedFrom) return undefined;
  return list.add(String(owner.vmid), {
    kind: 'mark-drained',
    node: node.name,
    title: `note on VM ${owner.vmid} that ${drainedFrom} is drained`,
    reasons: [`so that ${node.name} is left alone until \`oxherd host return ${drainedFrom}\``],
    impact: 'live',
    load: { host: owner.host },
    vmid: owner.vmid,
    host: owner.host,
    drainedFrom,
    forSeconds,
  });
}

/** It is shut down and stays so; everything that it has stays where it is. */
export function planStay(context: PlanContext, node: NodeDesign, drain: HostDrain): void {
  const { list, observed } = context;
  const marked = planDrainMark(context, node, drain);
  const talos = observed.vms[node.talosVm.vmid];
  if (talos?.status !== 'running') return;
  list.add(String(talos.vmid), {
    kind: 'stop-vm',
    node: node.name,
    title: `shut down VM ${talos.vmid} (${vmView(talos)?.effective.name ?? talos.name})`,
    reasons: [`${drain.host} is drained, and it stays there`],
    impact: 'restart',
    needs: [marked],
    load: { host: talos.host },
    vmid: talos.vmid,
    host: talos.host,
  });
}

/** Last of all: until then the node counts as drained. */
export function planReturned({ list, observed }: PlanContext, node: NodeDesign, host: string): void {
  const owner = ownerVm(node, observed);
  if (!owner || drainOf(node, observed) === undefined) return;
  list.add(String(owner.vmid), {
    kind: 'unmark-drained',
    node: node.name,
    title: `note on VM ${owner.vmid} that ${host} is back`,
    reasons: [`${node.name} is where oxherd.yaml wants it`],
    impact: 'live',
    needs: list.steps.filter((step) => step.node === node.name).map((step) => step.id),
    load: { host },
    vmid: owner.vmid,
    host,
  });
}
