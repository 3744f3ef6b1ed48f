/** The data VM of a node: made once, then only ever added to. */
import type { DriveDesign, NodeDesign, VmDesign } from '../../design/design.js';
import { type DataNotes, parseDataNotes, printDataNotes } from '../../formats/marks/data-notes.js';
import { lowestFreeSlot, ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import { sameDriveOptions } from '../../formats/proxmox/vm-option.js';
import type { Wwn } from '../../model/identity.js';
import { formatSize } from '../../model/size.js';
import { dataVmAuthor, diskAuthor, driftOf } from '../drift/drift-authors.js';
import { handOver, noteParked } from '../drives/data-vm-drives.js';
import { driveChange, newDrive } from '../drives/drive-facts.js';
import {
  goneVolumes,
  isGone,
  lostDrives,
  misplacedDrives,
  noSlot,
  renamedAway,
  unreadable,
  unusedVolumes,
} from '../drives/drive-problems.js';
import type { PlanContext } from '../input.js';
import { noteOfDisk, noteOfNewDisk, renewDrive, retainedName } from '../recovery/reset-disk.js';
import type { NewDrive } from '../steps.js';
import { hostNoteFor } from './node-host.js';
import { optionChanges, reasonOf } from './option-changes.js';
import { takenSlots, type VmView, vmView } from './view-of-vm.js';

/** Which steps must be done before a drive of the data VM can be attached; key: its WWN. */
export type DriveReady = Map<Wwn, string | undefined>;

/** `undefined`: a problem keeps the node out. */
export function planDataVm(
  context: PlanContext,
  node: NodeDesign,
  dataVm: VmDesign,
  /** What must be done before a new disk is made. */
  needs: readonly (string | undefined)[],
): DriveReady | undefined {
  const there = context.observed.vms[dataVm.vmid];
  const kept = node.drives.filter((drive) => drive.owner === dataVm.vmid);
  if (!there) return createDataVm(context, node, dataVm, kept, needs);
  const view = vmView(there);
  if (!view) {
    context.problems.push(unreadable(node, dataVm.vmid, there.config.known ? '' : there.config.why));
    return undefined;
  }
  if (there.status === 'running') {
    context.problems.push({
      code: 'data-vm-running',
      scope: 'node',
      node: node.name,
      message: `data VM ${dataVm.vmid} is running: two machines would write the same disks`,
      advice: `stop it: qm stop ${dataVm.vmid}`,
    });
    return undefined;
  }
  return changeDataVm(context, node, dataVm, kept, view);
}

function createDataVm(
  context: PlanContext,
  node: NodeDesign,
  dataVm: VmDesign,
  kept: readonly DriveDesign[],
  needs: readonly (string | undefined)[],
): DriveReady {
  const etcd = noteOfNewDisk(context, node);
  const drives = kept.map((drive, index): NewDrive => newDrive(drive, `scsi${index}`));
  const names = new Map(kept.map((drive) => [drive.wwn, drive.name]));
  const options = {
    name: dataVm.name,
    ...dataVm.options,
    description: printDataNotes(hostNoteFor(context, node, dataVm.options.description), {
      names,
      ...firstNames(kept),
      ...(etcd && { etcd }),
    }),
  };
  const step = context.list.add(String(dataVm.vmid), {
    kind: 'create-data-vm',
    node: node.name,
    title: `create data VM ${dataVm.vmid} (${dataVm.name}) on ${dataVm.host}`,
    reasons: kept.map((drive) => `${drive.name} ${formatSize(drive.size)} on ${drive.storage}`),
    impact: 'none',
    needs: [...needs, ...(context.resets.get(node.name)?.after ?? [])],
    load: { host: dataVm.host, ...(kept[0] && { storage: kept[0].storage }) },
    vmid: dataVm.vmid,
    host: dataVm.host,
    options,
    auxiliary: dataVm.auxiliary,
    drives,
  });
  return new Map(kept.map((drive) => [drive.wwn, step]));
}

function changeDataVm(
  context: PlanContext,
  node: NodeDesign,
  dataVm: VmDesign,
  kept: readonly DriveDesign[],
  view: VmView,
): DriveReady | undefined {
  const { list } = context;
  const missing = kept.filter((drive) => !view.byWwn.has(drive.wwn));
  const talosView = viewOfTalosVm(context, node);
  const restored = missing.filter((drive) => ownedByTalosVm(node, talosView, drive.wwn));
  const renewal = context.resets.get(node.name);
  const lost = missing.filter(
    (drive) =>
      !restored.includes(drive) && !renewal?.wwns.has(drive.wwn) && mustBeThere(context, drive, view),
  );
  if (lost.length > 0) {
    context.problems.push(lostDrives(context, node, view, lost));
    return undefined;
  }

  const misplaced = misplacedDrives(node, view);
  const fresh = missing.filter((drive) => !restored.includes(drive) && !renewal?.wwns.has(drive.wwn));
  const renamed = renamedAway(context, node, view, fresh);
  if (misplaced.length > 0 || renamed.length > 0) {
    context.problems.push(...misplaced, ...renamed);
    return undefined;
  }

  const gone = kept.filter((drive) => isGone(context, view, drive));
  // A machine that runs with the disk knows better than a list of what our token may see.
  if (gone.length > 0 && (renewal || context.observed.vms[node.talosVm.vmid]?.status !== 'running')) {
    context.problems.push(goneVolumes(context, node, view, gone));
    return undefined;
  }

  const noted = parseDataNotes(view.effective.description ?? '');
  const renewed = kept.filter((drive) => renewal?.wwns.has(drive.wwn) && view.byWwn.has(drive.wwn));
  const aside = new Map(renewed.map((drive) => [drive.wwn, retainedName(context, node, drive, view, noted)]));
  const etcd = noteOfDisk(context, node, noted.etcd);
  const notes: DataNotes = {
    names: new Map([
      ...noted.names,
      ...kept.map((drive) => [drive.wwn, drive.name] as const),
      ...[...aside.values()].map(({ wwn, name }) => [wwn, name] as const),
    ]),
    ...firstNames(kept, noted),
    ...(etcd && { etcd }),
  };
  const description = printDataNotes(hostNoteFor(context, node, dataVm.options.description), notes);
  const taken = takenSlots(view);
  const ready: DriveReady = new Map(kept.map((drive) => [drive.wwn, undefined]));
  for (const drive of [...missing, ...renewed]) {
    const slot = lowestFreeSlot(taken);
    if (slot === undefined) {
      context.problems.push(noSlot(node, dataVm.vmid, drive.name));
      return undefined;
    }
    taken.add(slot);
    const old = aside.get(drive.wwn);
    const step = restored.includes(drive)
      ? handOver(context, node, dataVm, drive, slot)
      : old
        ? renewDrive(context, node, dataVm, drive, { slot, host: view.vm.host, aside: old, description })
        : list.add(`${dataVm.vmid}/${drive.name}`, {
            kind: 'add-drive',
            node: node.name,
            title: `create disk ${drive.name} (${formatSize(drive.size)}) on data VM ${dataVm.vmid}`,
            reasons: [renewal?.wwns.has(drive.wwn) ? renewal.why : `volume ${drive.name} is new`],
            impact: renewal?.wwns.has(drive.wwn) ? 'reset' : 'none',
            needs: renewal?.after ?? [],
            load: { host: view.vm.host, storage: drive.storage },
            vmid: dataVm.vmid,
            host: view.vm.host,
            drive: newDrive(drive, slot),
            description,
          });
    ready.set(drive.wwn, step);
  }

  const { changes } = optionChanges(view, { name: dataVm.name, ...dataVm.options, description });
  // The steps that add drives write the description themselves.
  if ([...missing, ...renewed].some((drive) => !restored.includes(drive)))
    delete (changes as Record<string, unknown>).description;
  if (Object.keys(changes).length > 0) {
    list.add(String(dataVm.vmid), {
      kind: 'set-options',
      node: node.name,
      title: `set ${Object.keys(changes).join(', ')} of data VM ${dataVm.vmid}`,
      reasons: Object.entries(changes).map(([key, change]) => reasonOf(key, change)),
      ...driftOf(
        Object.entries(changes).map(([key, change]) => [
          reasonOf(key, change),
          dataVmAuthor(key, change, node, talosView),
        ]),
      ),
      impact: 'none',
      load: { host: view.vm.host },
      vmid: dataVm.vmid,
      host: view.vm.host,
      changes,
    });
  }
  for (const drive of kept) {
    const there = view.byWwn.get(drive.wwn);
    if (!there || aside.has(drive.wwn)) continue;
    const wanted = { ...drive.ownerOptions, wwn: drive.wwn };
    if (sameDriveOptions(there.options, wanted)) continue;
    list.add(`${dataVm.vmid}/${drive.name}`, {
      kind: 'set-drive-options',
      node: node.name,
      title: `set options of ${drive.name} on data VM ${dataVm.vmid}`,
      reasons: [driveChange(there.options, wanted)],
      ...driftOf([[driveChange(there.options, wanted), diskAuthor(node, talosView)]]),
      impact: 'none',
      load: { host: view.vm.host },
      vmid: dataVm.vmid,
      host: view.vm.host,
      slot: there.slot,
      wwn: drive.wwn,
      options: wanted,
    });
  }
  noteParked(context, node, kept, view, notes);
  return ready;
}

function viewOfTalosVm({ observed }: PlanContext, node: NodeDesign): VmView | undefined {
  const vm = observed.vms[node.talosVm.vmid];
  return vm && vmView(vm);
}

function ownedByTalosVm(node: NodeDesign, view: VmView | undefined, wwn: Wwn): boolean {
  const drive = view?.byWwn.get(wwn);
  return drive !== undefined && ownerOfVolume(drive.file) === node.talosVm.vmid;
}

/**
 * A data VM is made with its EPHEMERAL disk in one go, so a data VM without it has lost it. Any other disk may just
 * be new, unless there are volumes here whose identity got lost (Proxmox drops the WWN when a disk becomes `unusedN`).
 */
function mustBeThere(context: PlanContext, drive: DriveDesign, view: VmView): boolean {
  return drive.kind === 'ephemeral' || unusedVolumes(context, view).length > 0;
}

/** With these the identity of a volume can be checked also when the file no longer names it. */
function firstNames(kept: readonly DriveDesign[], noted?: DataNotes): Pick<DataNotes, 'firstNames'> {
  const first = new Map([
    ...(noted?.firstNames ?? []),
    ...kept.flatMap((drive) => (drive.was === undefined ? [] : [[drive.wwn, drive.was] as const])),
  ]);
  return first.size > 0 ? { firstNames: first } : {};
}
