/** The steps around a node that leaves its host for a while, or comes back to it. */

import type { NodeDesign } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { stopVm } from '../drives/drive-steps.js';
import { drainedHosts, drainOf, ownerVm, staysOff } from '../facts/drained-nodes.js';
import { vmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import type { Step } from '../steps.js';
import type { HostDecision } from '../vms/node-host.js';

/** Where a node is when the plan is done that takes it away from a host or back to one. */
export function requestedPlace(node: NodeDesign, observed: Observed, to: string, why: string): HostDecision {
  const from = [node.talosVm.vmid, node.dataVm?.vmid ?? node.talosVm.vmid]
    .flatMap((vmid) => visibleVm(observed, vmid)?.host ?? [])
    .find((host) => host !== to);
  return { host: to, ...(from !== undefined && { move: { from, why } }) };
}

/** One that is off because its host is in maintenance is left alone until the host returns. */
export function isExpected({ asked, observed, notes }: Draft, node: NodeDesign): boolean {
  const { drain, hostReturn, lostHost } = asked;
  if (drain || hostReturn !== undefined || lostHost !== undefined || !staysOff(node, observed)) return true;
  const { host = '', until } = drainOf(node, observed) ?? {};
  notes.push({
    code: 'left-alone',
    node: node.name,
    message: `${node.name} is left as it is while ${host} is drained${until === undefined ? '' : ` (until ${until})`}; bring it back with: oxherd host return ${host}`,
  });
  return false;
}

/** Nothing is created on a host that is drained, and nothing moves there, before it returns. */
export function drainedTarget({ asked, design, observed }: PlanContext, node: NodeDesign): Problem[] {
  const { host, name } = node;
  if (asked.drain || asked.hostReturn !== undefined || drainOf(node, observed)) return [];
  const vms = [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])].flatMap(
    (vmid) => visibleVm(observed, vmid) ?? [],
  );
  if (vms.some((vm) => vm.host === host) || !drainedHosts(design, observed).has(host)) return [];
  return [
    {
      code: 'host-drained',
      scope: 'node',
      node: name,
      message: `${host} is drained: ${name} is not ${vms.length === 0 ? 'created' : 'moved'} there before it returns`,
      advice: `bring it back first: oxherd host return ${host}`,
    },
  ];
}

/** Noted before it goes, so that a run that is interrupted leaves nothing that looks like drift. */
export function planDrainMark(
  { asked: { drain }, list, observed }: Draft,
  node: NodeDesign,
  /** What takes it away. */
  steps: readonly Step[],
): void {
  const owner = ownerVm(node, observed);
  if (!drain || !owner || drainOf(node, observed)?.host === drain.host) return;
  const ids = steps.map(({ id }) => id);
  const mark = list.add(String(owner.vmid), {
    kind: 'mark-drained',
    node: node.name,
    title: `note on VM ${owner.vmid} that ${drain.host} is drained`,
    reasons: [`so that ${node.name} is left alone until \`oxherd host return ${drain.host}\``],
    impact: 'live',
    load: { host: owner.host },
    vmid: owner.vmid,
    host: owner.host,
    drainedFrom: drain.host,
    forSeconds: drain.forSeconds,
  });
  list.addNeeds(ids, mark);
  list.moveBefore(mark, ids);
}

/** It is shut down and stays so; everything that it has stays where it is. `false`: it does not stay. */
export function planStay(context: Draft, node: NodeDesign): boolean {
  const { list, observed, asked } = context;
  if (!asked.drain?.stays.has(node.name)) return false;
  const talos = visibleVm(observed, node.talosVm.vmid);
  const before = list.steps.length;
  if (talos?.status === 'running') {
    stopVm(list, {
      node,
      host: talos.host,
      name: vmView(talos)?.effective.name ?? talos.name,
      reasons: [`${asked.drain.host} is drained, and it stays there`],
    });
  }
  planDrainMark(context, node, list.steps.slice(before));
  return true;
}

/** Last of all: until then the node counts as drained. */
export function planReturned(given: PlanContext, node: NodeDesign): Planned {
  return drafted(given, ({ asked: { hostReturn, lostHost }, list, observed }) => {
    const owner = ownerVm(node, observed);
    const host = hostReturn ?? (lostHost === undefined ? undefined : node.host);
    if (host === undefined || !owner || drainOf(node, observed) === undefined) return;
    list.add(String(owner.vmid), {
      kind: 'unmark-drained',
      node: node.name,
      title:
        lostHost === undefined
          ? `note on VM ${owner.vmid} that ${host} is back`
          : `remove the note from VM ${owner.vmid} that ${lostHost} is drained`,
      reasons: [
        lostHost === undefined
          ? `${node.name} is where oxherd.yaml wants it`
          : `${lostHost} is lost, and ${node.name} stays on ${host}`,
      ],
      impact: 'live',
      needs: list.steps.filter((step) => step.node === node.name).map((step) => step.id),
      load: { host },
      vmid: owner.vmid,
      host,
    });
  });
}
