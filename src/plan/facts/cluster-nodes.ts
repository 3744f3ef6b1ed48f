/** Which nodes of oxherd.yaml the cluster counts on, and how Kubernetes knows them. */
import type { NodeDesign } from '../../design/design.js';
import type { Observed } from '../../observe/observed.js';
import { findVm } from '../../observe/observed-vms.js';
import { nameBefore } from './renamed-nodes.js';

/** A node with neither of its VMs is yet to be made: it cannot be unavailable. */
export function isMade({ talosVm, dataVm }: NodeDesign, observed: Observed): boolean {
  return [talosVm, ...(dataVm ? [dataVm] : [])].some(({ vmid }) => findVm(observed, vmid).state !== 'absent');
}

/** Nodes that must be available while another one is down. */
export function countedNodes(
  nodes: readonly NodeDesign[],
  observed: Observed,
): { readonly others: readonly string[]; readonly formerNames?: Readonly<Record<string, string>> } {
  const made = nodes.filter((node) => isMade(node, observed));
  const renamed = made.flatMap((node) => {
    const before = nameBefore(node, observed);
    return before === undefined ? [] : [[node.name, before] as const];
  });
  return {
    others: made.map(({ name }) => name),
    ...(renamed.length > 0 && { formerNames: Object.fromEntries(renamed) }),
  };
}

/** `apiDown` for steps that ask the Kubernetes API: none of its servers answers. */
export function withoutApi({ kubernetes }: Observed): { readonly apiDown?: true } {
  const answers = Object.values(kubernetes?.endpoints ?? {}).some((ready) => ready);
  return answers ? {} : { apiDown: true };
}
