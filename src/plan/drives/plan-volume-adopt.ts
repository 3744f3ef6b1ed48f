/** Giving a volume its identity. What cannot be decided is asked; what would make two of one is refused. */

import type { Design, DriveDesign, NodeDesign } from '../../design/design.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import { OxherdError } from '../../model/error.js';
import { bytes, formatSize } from '../../model/size.js';
import type { Observed, ObservedVm } from '../../observe/observed.js';
import { visibleEntry } from '../../observe/observed-lists.js';
import { visibleVm, visibleVms } from '../../observe/observed-vms.js';
import { vmView } from '../facts/view-of-vm.js';
import { makePlan } from '../make-plan.js';
import type { Plan } from '../plan.js';
import { StepList } from '../step-list.js';
import { claimsOf, outsideUser, outsideUsesOf } from './claims.js';
import { noSuchVolume } from './plan-volume-delete.js';
import { listVolumes } from './volume-list.js';

interface Adoption {
  readonly plan: Plan;
  /** Why it is not certain that this is the right volume; empty: nothing to ask. */
  readonly doubts: readonly string[];
}

export function planVolumeAdopt(design: Design, observed: Observed, name: string, volid: string): Adoption {
  const [nodeName, driveName] = name.split('/');
  const node = design.nodes.find((candidate) => candidate.name === nodeName);
  const drive = node?.drives.find((candidate) => candidate.name === driveName && candidate.kept);
  if (!node || !drive || !node.dataVm) throw noSuchVolume(name, listVolumes(design, observed));
  const talosVm = visibleVm(observed, node.talosVm.vmid);
  if (talosVm?.status === 'running') {
    throw new OxherdError(
      'volumes.running',
      `VM ${talosVm.vmid} runs and may write the volume that it uses now`,
      { advice: `stop it first: qm shutdown ${talosVm.vmid}` },
    );
  }
  const size = knownSize(observed, volid);
  const owner = ownerOfVolume(volid);
  if (size === undefined || (owner !== node.dataVm.vmid && owner !== node.talosVm.vmid)) {
    throw new OxherdError(
      'volumes.foreign',
      size === undefined ? `there is no volume ${volid}` : `${volid} belongs to VM ${owner}`,
      { advice: `name a volume of data VM ${node.dataVm.vmid} or of VM ${node.talosVm.vmid}` },
    );
  }
  refuseOtherDisks({ design, observed }, node, drive, volid);
  refuseCopies(observed, node, drive, volid);
  const list = new StepList();
  const vmid = owner === node.talosVm.vmid ? node.talosVm.vmid : node.dataVm.vmid;
  const host = visibleVm(observed, node.dataVm.vmid)?.host ?? node.host;
  list.add(name, {
    kind: 'adopt-volume',
    node: node.name,
    title: `adopt ${volid} as ${name}`,
    reasons: [`identity ${drive.wwn}`],
    impact: 'none',
    load: { host },
    vmid,
    talosVmid: node.talosVm.vmid,
    dataVmid: node.dataVm.vmid,
    host,
    wwn: drive.wwn,
    volid,
    options: vmid === node.talosVm.vmid ? drive.talosOptions : drive.ownerOptions,
  });
  return { plan: makePlan(design, observed, list), doubts: doubtsAbout(observed, node, drive, volid, size) };
}

function knownSize(observed: Observed, volid: string): number | undefined {
  for (const listed of Object.values(observed.volumes)) {
    const volume = visibleEntry(listed, volid);
    if (volume) return volume.size;
  }
  return undefined;
}

/** A system disk, the firmware's, EPHEMERAL or another volume: each is something already. */
function refuseOtherDisks(
  around: { readonly design: Design; readonly observed: Observed },
  node: NodeDesign,
  drive: DriveDesign,
  volid: string,
): void {
  const vms = [node.talosVm.vmid, node.dataVm?.vmid].flatMap(
    (vmid) => visibleVm(around.observed, vmid) ?? [],
  );
  for (const vm of vms) {
    const view = vmView(vm);
    for (const { claim, volid: named, wwn, slot } of view ? claimsOf(around, view) : []) {
      if (named !== volid || wwn === drive.wwn) continue;
      const what =
        claim === 'system'
          ? 'the system disk'
          : claim === 'made' || slot === 'efidisk0' || slot === 'tpmstate0'
            ? `${slot}, a drive of the VM itself,`
            : wwn !== undefined && (claim === 'kept' || claim === 'lent')
              ? `the disk ${node.drives.find((one) => one.wwn === wwn)?.name ?? wwn}`
              : undefined;
      if (what === undefined) continue;
      throw new OxherdError('volumes.not-data', `${volid} is ${what} of ${node.name}, not ${drive.name}`, {
        advice:
          'name the volume that holds the data; a renamed volume says was: <the name it was created with>',
      });
    }
  }
}

/** The identity must be on one volume afterwards: what other VMs carry is not oxherd's to change. */
function refuseCopies(observed: Observed, node: NodeDesign, drive: DriveDesign, volid: string): void {
  const own: readonly (number | undefined)[] = [node.talosVm.vmid, node.dataVm?.vmid];
  const inOthers = [...visibleVms(observed), ...Object.values(observed.lookalikes)]
    .filter((vm) => !own.includes(vm.vmid))
    .flatMap((vm) => carriers(vm, drive, volid));
  const outside = (observed.outsiders ?? [])
    .filter((use) => use.wwn === drive.wwn && use.volid !== volid && use.section !== 'next')
    .map(({ vmid, slot, volid: file }) => ({ vmid, slot, file }));
  const [copy] = [...inOthers, ...outside];
  if (copy) {
    throw new OxherdError(
      'volumes.copies',
      `VM ${copy.vmid} has a disk with the identity of ${node.name}/${drive.name} too (${copy.slot}: ${copy.file})`,
      {
        advice: `take the identity off that copy first: qm set ${copy.vmid} --${copy.slot} ${copy.file}; or remove that VM`,
      },
    );
  }
  const [user] = outsideUsesOf(observed, [volid]);
  if (user) {
    const { why, advice } = outsideUser(user);
    throw new OxherdError('volumes.in-use', `${volid} is in use: ${why}`, { advice });
  }
}

function carriers(vm: ObservedVm, drive: DriveDesign, volid: string) {
  return (vmView(vm)?.drives ?? [])
    .filter(({ wwn, file }) => wwn === drive.wwn && file !== volid)
    .map(({ slot, file }) => ({ vmid: vm.vmid as number, slot, file }));
}

function doubtsAbout(
  observed: Observed,
  node: NodeDesign,
  drive: DriveDesign,
  volid: string,
  size: number,
): string[] {
  const views = [node.talosVm.vmid, node.dataVm?.vmid].flatMap((vmid) => {
    const vm = visibleVm(observed, vmid);
    return (vm && vmView(vm)) ?? [];
  });
  const named = views.flatMap((view) => view.all.filter(({ file }) => file === volid));
  if (named.some(({ wwn }) => wwn === drive.wwn)) return [];
  const doubts: string[] = [];
  if (ownerOfVolume(volid) === node.talosVm.vmid)
    doubts.push(`it belongs to VM ${node.talosVm.vmid} and has no identity: it may be an old system disk`);
  const unused = views.flatMap((view) => Object.values(view.unused)).filter((file) => file !== volid);
  if (unused.length > 0)
    doubts.push(`other volumes without an identity are there too (${unused.join(', ')})`);
  if (size < drive.size)
    doubts.push(`it has ${formatSize(bytes(size))}, and oxherd.yaml says ${formatSize(drive.size)}`);
  return doubts;
}
