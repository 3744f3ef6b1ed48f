/** Gives adopted VMs back: every option as it was before, while nothing else has changed. The Talos VM goes first. */

import type { Design, NodeDesign } from '../../design/design.js';
import { adoptionNoteIn, configMark } from '../../formats/marks/adoption-note.js';
import { ownershipOf } from '../../formats/marks/ownership.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { visibleEntry } from '../../observe/observed-lists.js';
import { visibleVm, visibleVms } from '../../observe/observed-vms.js';
import { vmView } from '../facts/view-of-vm.js';
import { makePlan } from '../make-plan.js';
import type { Note, Plan, Problem } from '../plan.js';
import { inOrder } from '../plan-cluster.js';
import { StepList } from '../step-list.js';
import type { ValueChange } from '../steps.js';

/** `observed`: with the VMs on the ids of oxherd.yaml, whosever they are. */
export function planRelease(design: Design, observed: Observed): Plan {
  const list = new StepList();
  const problems: Problem[] = [];
  for (const node of inOrder(design.nodes)) {
    const vms = [node.talosVm, ...(node.dataVm ? [node.dataVm] : [])].flatMap(
      ({ vmid }) => visibleVm(observed, vmid) ?? [],
    );
    const ours = vms.filter((vm) => isOurs(design, vm));
    problems.push(...ours.flatMap((vm) => obstacles(node, vm)), ...changedConfig(node, observed, ours));
    let before: string | undefined;
    for (const vm of ours) before = release(list, node, vm, before);
  }
  const others = visibleVms(observed).filter((vm) => isOurs(design, vm) && !isNamed(design, vm));
  problems.push(...others.map(createdSince));
  return makePlan(design, observed, {
    steps: problems.length > 0 ? [] : list.steps,
    problems,
    notes: poolNotes(design, observed),
  });
}

function isOurs({ cluster }: Design, vm: ObservedVm): boolean {
  const view = vmView(vm);
  return view !== undefined && ownershipOf(cluster, vm.vmid, view.effective).ours;
}

function isNamed({ nodes }: Design, { vmid }: ObservedVm): boolean {
  return nodes.some((node) => node.talosVm.vmid === vmid || node.dataVm?.vmid === vmid);
}

function release(list: StepList, node: NodeDesign, vm: ObservedVm, before: string | undefined): string {
  const values = vmView(vm)?.effective ?? {};
  const note = adoptionNoteIn(values.description);
  const changes = [...(note?.before ?? [])]
    .filter(([key, to]) => values[key] !== to)
    .map(([key, to]): [string, ValueChange] => {
      const from = values[key];
      return [key, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }];
    });
  return list.add(String(vm.vmid), {
    kind: 'release-vm',
    node: node.name,
    title: `give back VM ${vm.vmid} (${vm.name})`,
    reasons: [`${changes.map(([key]) => key).join(', ')} as before the adoption`],
    impact: vm.status === 'running' ? 'live' : 'none',
    needs: [before],
    load: { host: vm.host },
    vmid: vm.vmid,
    host: vm.host,
    changes: Object.fromEntries(changes),
  });
}

function obstacles(node: NodeDesign, vm: ObservedVm): Problem[] {
  const values = vmView(vm)?.effective ?? {};
  const note = adoptionNoteIn(values.description);
  if (!note) return [createdSince(vm)];
  if (configMark(values) === note.mark) return [];
  return [
    {
      code: 'adopt-undo',
      scope: 'plan',
      node: node.name,
      message: `VM ${vm.vmid} has been changed since it was adopted: what it had before fits no longer`,
      advice: `see what changed in its task history; an adoption can be undone only as long as nothing else was changed`,
    },
  ];
}

/** A config that oxherd has sent may select disks by the identities that would go. */
function changedConfig(node: NodeDesign, { machines }: Observed, ours: readonly ObservedVm[]): Problem[] {
  const details = machines[node.name]?.details;
  if (ours.length === 0 || !details?.known) return [];
  const { config } = details.value;
  if (!config.known || config.value.mark === undefined) return [];
  return [
    {
      code: 'adopt-undo',
      scope: 'plan',
      node: node.name,
      message: `the machine config of ${node.name} was changed by oxherd after the adoption`,
      advice: 'an adoption can be undone only as long as nothing else was applied',
    },
  ];
}

function createdSince(vm: ObservedVm): Problem {
  return {
    code: 'adopt-undo',
    scope: 'plan',
    message: `VM ${vm.vmid} (${vm.name}) was not adopted, but created by oxherd`,
    advice: 'an adoption can be undone only as long as nothing else was applied',
  };
}

function poolNotes({ pool }: Design, { access }: Observed): Note[] {
  if (pool === undefined || !visibleEntry(access.pools, pool)) return [];
  return [
    {
      code: 'left-alone',
      message: `the pool ${pool} and its members stay; remove it with: pvesh delete /pools/${pool}`,
    },
  ];
}
