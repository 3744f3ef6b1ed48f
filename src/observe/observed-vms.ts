/**
 * The VMs of this cluster, asked for by id. Proxmox lists only VMs that the token may audit, so an id that is missing
 * from the list proves nothing: a VM is present, absent or hidden, never a missing key of a record.
 */
import type { Observed, ObservedVm, TakenVmid } from './observed.js';

/** VMs of this cluster, and the evidence for ids that are not among them. */
export interface ObservedVms {
  /** VMs that Proxmox listed and that carry this cluster's marks; ask by id with the functions of this file. */
  readonly listed: readonly ObservedVm[];
  /** Why VMs may be missing from the list; absent: the token may audit every VM. */
  readonly unlisted?: string;
  /** Ids that Proxmox answered to be free, whether or not the token may see their VMs. */
  readonly free: readonly number[];
  /** Ids in scope that are taken by a VM the token may not see, or that could not be asked for, with the reason. */
  readonly hidden: Readonly<Record<number, string>>;
}

type VmAnswer =
  | { readonly state: 'present'; readonly vm: ObservedVm }
  /** Proved: from a complete list, or because Proxmox gives the id away. */
  | { readonly state: 'absent' }
  /** `foreign`: a VM that Proxmox listed has the id and is not recognised as this cluster's. */
  | { readonly state: 'hidden'; readonly because: 'unseen' | 'foreign'; readonly why: string };

type Seen = Pick<Observed, 'vms'>;

/** The only way to conclude that a VM does not exist. Code that creates, removes or concludes a loss asks here. */
export function findVm(observed: Pick<Observed, 'vms' | 'taken'>, vmid: number): VmAnswer {
  const vm = visibleVm(observed, vmid);
  if (vm) return { state: 'present', vm };
  if (observed.taken[vmid])
    return { state: 'hidden', because: 'foreign', why: `VM ${vmid} is not recognised as this cluster's` };
  const { free, hidden, unlisted } = observed.vms;
  const why = hidden[vmid];
  if (why !== undefined) return { state: 'hidden', because: 'unseen', why };
  if (unlisted === undefined || free.includes(vmid)) return { state: 'absent' };
  return { state: 'hidden', because: 'unseen', why: unlisted };
}

/** Nothing has the id, or a VM is being created on it this moment: the step that creates ours waits and compares. */
export function mayCreate(observed: Pick<Observed, 'vms' | 'taken'>, vmid: number): boolean {
  const taken = observed.taken[vmid];
  return isAbsent(observed, vmid) || (taken !== undefined && isBeingCreated(taken));
}

/** It has no tags yet, so nothing tells whose it is. */
export function isBeingCreated({ lock, tags }: TakenVmid): boolean {
  return lock === 'create' && tags.length === 0;
}

export function isAbsent(observed: Pick<Observed, 'vms' | 'taken'>, vmid: number): boolean {
  return findVm(observed, vmid).state === 'absent';
}

/** `undefined` proves nothing: the VM may be hidden. For showing and filtering, where absence leads to no act. */
export function visibleVm({ vms }: Seen, vmid: number | undefined): ObservedVm | undefined {
  return vmid === undefined ? undefined : indexOf(vms).get(vmid);
}

/** In the order of their ids. */
export function visibleVms({ vms }: Seen): readonly ObservedVm[] {
  return vms.listed;
}

/** Every VM was listed: the token may audit them all. */
export function completeVms(vms: readonly ObservedVm[]): ObservedVms {
  return { listed: inOrder(vms), free: [], hidden: {} };
}

/** With these in place of VMs of the same ids: an observation as a step will leave it. */
export function withVms(vms: ObservedVms, changed: readonly ObservedVm[]): ObservedVms {
  const ids = new Set<number>(changed.map(({ vmid }) => vmid));
  return { ...vms, listed: inOrder([...vms.listed.filter(({ vmid }) => !ids.has(vmid)), ...changed]) };
}

/** As the list is once these were removed. */
export function withoutVms(vms: ObservedVms, removed: ReadonlySet<number>): ObservedVms {
  return {
    ...vms,
    listed: vms.listed.filter(({ vmid }) => !removed.has(vmid)),
    free: [...vms.free, ...removed],
  };
}

function inOrder(vms: readonly ObservedVm[]): ObservedVm[] {
  return [...vms].sort((a, b) => a.vmid - b.vmid);
}

const indexes = new WeakMap<ObservedVms, ReadonlyMap<number, ObservedVm>>();

/** A plan asks for each VM many times; the list itself never changes. */
function indexOf(vms: ObservedVms): ReadonlyMap<number, ObservedVm> {
  const made = indexes.get(vms);
  if (made) return made;
  const index = new Map<number, ObservedVm>(vms.listed.map((vm) => [vm.vmid, vm]));
  indexes.set(vms, index);
  return index;
}
