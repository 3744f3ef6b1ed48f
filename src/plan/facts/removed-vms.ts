/** VMs of the cluster whose node is no longer in the config. */

import type { Design } from '../../design/design.js';
import { type EtcdNote, parseDataNotes } from '../../formats/marks/data-notes.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { uuidOfVm } from '../../formats/proxmox/smbios-uuid.js';
import { dataVmidOf } from '../../model/identity.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import type { KubeNode } from '../../observe/observed-kubernetes.js';
import { roleOfMachine } from '../../observe/observed-machines.js';
import { visibleVm, visibleVms } from '../../observe/observed-vms.js';
import { vmView } from './view-of-vm.js';

const CONTROL_PLANE_LABEL = 'node-role.kubernetes.io/control-plane';

/** In the order of their ids. */
export function removedVms(design: Design, observed: Pick<Observed, 'vms'>): ObservedVm[] {
  const wanted = new Set(
    design.nodes.flatMap((node) => [node.talosVm.vmid, ...(node.dataVm ? [node.dataVm.vmid] : [])]),
  );
  return visibleVms(observed).filter((vm) => !wanted.has(vm.vmid));
}

/**
 * What its machine runs as decides. Tag, label and the note on the data VM are hints: while the machine does not answer
 * they make a VM a control plane, and their absence proves nothing.
 */
export function mayBeControlPlane(vm: ObservedVm, observed: Observed): boolean {
  const role = roleOfMachine(observed.removedMachines?.[vm.vmid]);
  if (role !== undefined) return role === 'controlplane';
  const nodes = observed.kubernetes?.nodes;
  const objects = objectsOf(uuidOfVm(vm), nodes?.known ? nodes.value : []);
  return (
    vm.tags.includes('control-plane') ||
    etcdNoteOf(vm, observed) !== undefined ||
    objects.some(({ labels }) => labels?.[CONTROL_PLANE_LABEL] !== undefined)
  );
}

/** What the data VM of a Talos VM says of its disk. */
function etcdNoteOf({ vmid }: ObservedVm, observed: Observed): EtcdNote | undefined {
  const data = visibleVm(observed, dataVmidOf(vmid));
  return data?.tags.includes(DATA_TAG)
    ? parseDataNotes(vmView(data)?.effective.description ?? '').etcd
    : undefined;
}

/** Node objects of a machine. An empty uuid is no identity. */
export function objectsOf(uuid: string | undefined, objects: readonly KubeNode[]): readonly KubeNode[] {
  if (uuid === undefined || uuid === '') return [];
  return objects.filter(({ systemUuid }) => systemUuid.toLowerCase() === uuid);
}
