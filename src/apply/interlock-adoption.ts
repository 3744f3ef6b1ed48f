/**
 * The rules of the interlock for VMs that are taken over or given back. Such a write names no other volume, removes none,
 * and the VM is one that the run was asked for: by the uuid that its machine told, or by the volumes that it owns.
 */
import { adoptionNoteIn, configMark } from '../formats/marks/adoption-note.js';
import { clusterTag, isClusterTag } from '../formats/marks/cluster-names.js';
import { type ClusterOwner, ownershipOf } from '../formats/marks/ownership.js';
import { ownerOfVolume } from '../formats/proxmox/drive-slots.js';
import { parseDrive, parsePropertyString } from '../formats/proxmox/property-string.js';
import { isDriveSlot } from '../formats/proxmox/vm-config.js';
import { type Reading, refuse } from './interlock-reading.js';

/** What proves that a VM is the one which was asked for. */
interface AdoptableVm {
  /** Of the machine that runs in it; a data VM has none. */
  readonly uuid?: string;
  /** Slot → volume. */
  readonly volumes: Readonly<Record<string, string>>;
}

export interface TakeoverScope {
  readonly cluster: ClusterOwner;
  /** VMs that are not ours and were asked for by name, each with what proves that it is the right one. */
  readonly mayAdopt?: ReadonlyMap<number, AdoptableVm>;
  /** Adopted VMs that are given back. */
  readonly mayRelease?: ReadonlySet<number>;
}

interface OptionWrite {
  readonly set?: Readonly<Record<string, unknown>>;
  readonly delete?: readonly string[];
}

/** `false`: the VM is neither taken over nor given back, and the usual rules hold. */
export function guardTakeover(
  { cluster, mayAdopt, mayRelease }: TakeoverScope,
  vm: Reading,
  change: OptionWrite,
): boolean {
  const { ours } = ownershipOf(cluster, vm.vmid, vm.config.effective);
  const adoptable = mayAdopt?.get(vm.vmid);
  if (adoptable && !ours) guardAdoption(cluster, vm, adoptable, change);
  else if (mayRelease?.has(vm.vmid) && ours) guardRelease(vm, change);
  else return false;
  return true;
}

function guardAdoption(
  cluster: ClusterOwner,
  vm: Reading,
  expected: AdoptableVm,
  { set = {}, delete: remove = [] }: OptionWrite,
): void {
  const what = `adopting VM ${vm.vmid}`;
  const { effective } = vm.config;
  const other = vm.tags.find((tag) => isClusterTag(tag) && tag !== clusterTag(cluster));
  if (other !== undefined) refuse(what, `it belongs to another oxherd cluster (tag ${other})`);
  const uuid = parsePropertyString(effective.smbios1 ?? '').uuid?.toLowerCase();
  if (expected.uuid !== undefined && uuid !== expected.uuid)
    refuse(what, `its SMBIOS uuid is ${uuid ?? 'missing'}, its machine told ${expected.uuid}`);
  for (const [slot, volid] of Object.entries(expected.volumes)) {
    if (vm.config.bySlot.get(slot)?.file !== volid) refuse(what, `${volid} is no longer its ${slot}`);
    if (expected.uuid === undefined && ownerOfVolume(volid) !== vm.vmid)
      refuse(what, `it does not own ${volid}`);
  }
  if (expected.uuid === undefined && Object.keys(expected.volumes).length === 0)
    refuse(what, 'nothing proves whose it is');
  keepsVolumes(what, vm, set, remove);
  const after = { ...effective, ...texts(set) };
  for (const key of remove) delete after[key];
  const ownership = ownershipOf(cluster, vm.vmid, after);
  if (!ownership.ours) refuse(what, `it would not belong to this cluster: ${ownership.why}`);
}

/** Nothing but what its own note says, and only while nothing else has changed. */
function guardRelease(vm: Reading, { set = {}, delete: remove = [] }: OptionWrite): void {
  const what = `giving back VM ${vm.vmid}`;
  const { effective } = vm.config;
  const note = adoptionNoteIn(effective.description);
  if (!note) refuse(what, 'it was not adopted');
  if (configMark(effective) !== note.mark) refuse(what, 'it was changed since');
  for (const key of [...Object.keys(set), ...remove]) {
    const to = remove.includes(key) ? undefined : set[key];
    if (!note.before.has(key) || note.before.get(key) !== to)
      refuse(what, `${key} was ${note.before.get(key) ?? 'not set'} before`);
  }
  keepsVolumes(what, vm, set, remove);
}

/** Drives keep their volumes, and none is added or removed. */
function keepsVolumes(
  what: string,
  vm: Reading,
  set: Readonly<Record<string, unknown>>,
  remove: readonly string[],
): void {
  const removed = remove.find(isDriveSlot);
  if (removed !== undefined) refuse(what, `it would remove ${removed}`);
  for (const [key, value] of Object.entries(set)) {
    if (!isDriveSlot(key)) continue;
    const there = vm.config.bySlot.get(key)?.file;
    const next = parseDrive(String(value)).file;
    if (there !== next) refuse(what, `it would write ${next} to ${key}, where ${there ?? 'nothing'} is`);
  }
}

function texts(set: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(set).map(([key, value]) => [key, String(value)]));
}
