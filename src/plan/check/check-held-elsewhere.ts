/**
 * Names, addresses and vmids that change hands. The vmid of a node is the identity of its disks and never changes; what
 * another VM of ours still holds is free only when that one has released it, by an apply of its own.
 */

import type { Design, NodeDesign } from '../../design/design.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { staticAddressOf } from '../../formats/proxmox/static-address.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { visibleVm, visibleVms } from '../../observe/observed-vms.js';
import type { Problem } from '../plan.js';

export function heldElsewhereProblems(design: Design, observed: Observed): Problem[] {
  const ours = visibleVms(observed).filter(
    (vm) => vm.tags.includes(design.cluster.tag) && !vm.tags.includes(DATA_TAG),
  );
  const byName = holders(ours, nameOf);
  const byAddress = holders(ours, staticAddressOf);
  return design.nodes.flatMap((node) => {
    const isOther = (vm: ObservedVm) => vm.vmid !== node.talosVm.vmid;
    const sameName = byName.get(node.name)?.find(isOther);
    const sameAddress = byAddress.get(node.ip)?.find(isOther);
    const former = [sameName, sameAddress].find((vm) => vm && !isNamed(design, vm));
    if (
      former &&
      !visibleVm(observed, node.talosVm.vmid) &&
      (nameOf(former) === node.name || sameAddress === former)
    )
      return [vmidChange(node, former)];
    const holder = sameAddress ?? (sameName && !isNamed(design, sameName) ? sameName : undefined);
    return holder ? [heldProblem(node, holder, holder === sameAddress)] : [];
  });
}

function holders(
  vms: readonly ObservedVm[],
  keyOf: (vm: ObservedVm) => string | undefined,
): ReadonlyMap<string, ObservedVm[]> {
  const found = new Map<string, ObservedVm[]>();
  for (const vm of vms) {
    const key = keyOf(vm);
    if (key !== undefined) found.set(key, [...(found.get(key) ?? []), vm]);
  }
  return found;
}

function isNamed(design: Design, vm: ObservedVm): boolean {
  return design.nodes.some((node) => node.talosVm.vmid === vm.vmid);
}

function nameOf(vm: ObservedVm): string {
  return (vm.config.known && vm.config.value.values.name) || vm.name;
}

function vmidChange(node: NodeDesign, former: ObservedVm): Problem {
  return {
    code: 'vmid-change',
    scope: 'plan',
    node: node.name,
    message: `${node.name} is VM ${former.vmid}, oxherd.yaml gives it vmid ${node.talosVm.vmid}; the vmid is the identity of its disks and cannot change`,
    advice: `write vmid: ${former.vmid}; or remove ${nameOf(former)} from oxherd.yaml, apply, and add it with the other vmid then: its data stays on data VM ${former.vmid}0`,
  };
}

function heldProblem(node: NodeDesign, holder: ObservedVm, byAddress: boolean): Problem {
  const what = byAddress ? `the address ${node.ip}` : `the name ${node.name}`;
  return {
    code: byAddress ? 'address-taken' : 'name-taken',
    scope: 'plan',
    node: node.name,
    message: `${node.name} would get ${what}, which VM ${holder.vmid} (${nameOf(holder)}) still has`,
    advice: `change or remove VM ${holder.vmid} first and apply; give ${node.name} ${what} after that`,
  };
}
