/** How a Talos VM comes to run: for the first time, or again with what was changed. */

import type { NodeDesign } from '../../design/design.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { driftOf } from '../drift/drift-authors.js';
import type { VmView } from '../facts/view-of-vm.js';
import type { Draft } from '../planned.js';
import type { DriftAuthor } from '../step-base.js';
import { planReplace } from './plan-replace.js';

export function startVm(
  context: Draft,
  node: NodeDesign,
  needs: readonly (string | undefined)[],
  reason: string,
  by?: DriftAuthor,
): void {
  const { vmid, name, host } = node.talosVm;
  context.list.add(String(vmid), {
    kind: 'start-vm',
    node: node.name,
    title: `start VM ${vmid} (${name})`,
    reasons: [reason],
    ...driftOf([[reason, by]]),
    impact: 'none',
    needs,
    load: { host: visibleVm(context.observed, vmid)?.host ?? host },
    vmid,
    host: visibleVm(context.observed, vmid)?.host ?? host,
  });
}

interface Again {
  readonly image: string | undefined;
  /** Steps that give the VM its helper drives. */
  readonly helpers: readonly string[];
  /** The step that writes options. */
  readonly options: string | undefined;
  /** Steps that come before. */
  readonly done: readonly (string | undefined)[];
  readonly reasons: readonly string[];
  readonly drift: Parameters<typeof driftOf>[0];
  /** Whether or not anything waits for it when the step runs. */
  readonly forced: boolean;
  /** It was stopped for a move. */
  readonly moved: boolean;
}

/** How a VM comes to run with what was changed: on a new system disk, started, or restarted; or not at all. */
export function startAgain(context: Draft, node: NodeDesign, view: VmView, again: Again): void {
  const { image, helpers, options, done, reasons, drift, forced, moved } = again;
  const { vmid } = node.talosVm;
  const { host } = view.vm;
  const asked = context.asked.restart.includes(node.name);
  const renewal = context.resets.get(node.name);
  if (context.asked.replace.includes(node.name)) {
    const replaced = planReplace(context, node, view, image, helpers);
    // The running machine is asked where its data is before its disk goes: it must keep its network until then.
    if (replaced && options !== undefined) context.list.addNeeds([options], replaced);
    if (replaced) startVm(context, node, [...done, replaced], 'it has a new system disk');
  } else if (moved || renewal?.stopped) {
    startVm(context, node, done, renewal ? 'new disk' : 'it was stopped for the move');
  } else if (view.vm.status === 'running' && (reasons.length > 0 || asked)) {
    context.list.add(String(vmid), {
      kind: 'restart-vm',
      node: node.name,
      title: `restart VM ${vmid} (${view.vm.name})`,
      reasons: asked && reasons.length === 0 ? ['requested'] : reasons,
      ...driftOf(drift),
      impact: 'restart',
      needs: done,
      load: { host },
      vmid,
      host,
      asked: asked || forced,
    });
  } else if (view.vm.status === 'stopped' && node.talosVm.running) {
    if (context.moved) startVm(context, node, done, `it has moved to ${context.moved.to}`);
    // A config never asks for a VM that is off.
    else startVm(context, node, done, 'VM is stopped', 'hand');
  }
}
