/** The data VM of a node: made once, then only ever added to. */

import type { DriveDesign, NodeDesign, VmDesign } from '../../design/design.js';
import { keepAdoptionNote } from '../../formats/marks/adoption-note.js';
import { type DataNotes, parseDataNotes, printDataNotes } from '../../formats/marks/data-notes.js';
import { ownerOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { VmDrive } from '../../formats/proxmox/vm-config.js';
import { sameDriveOptions } from '../../formats/proxmox/vm-option.js';
import type { Wwn } from '../../model/identity.js';
import { formatSize } from '../../model/size.js';
import { findVm, mayCreate, visibleVm } from '../../observe/observed-vms.js';
import { dataVmAuthor, diskAuthor, driftOf } from '../drift/drift-authors.js';
import { freeSlots, noteParked } from '../drives/data-vm-drives.js';
import {
  goneVolumes,
  isGone,
  lostDrives,
  misplacedDrives,
  renamedAway,
  unreadable,
  unusedVolumes,
} from '../drives/drive-problems.js';
import { addDrive, handOverDrive, renewDrive, setDriveOptions } from '../drives/drive-steps.js';
import { newDrive } from '../facts/drive-facts.js';
import { optionChanges, reasonOf } from '../facts/option-changes.js';
import { provedDescription } from '../facts/proved-vm.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';
import type { Problem } from '../plan.js';
import { type Draft, drafted, type Planned } from '../planned.js';
import { noteOfDisk, noteOfNewDisk, retainedName } from '../recovery/reset-disk.js';
import type { NewDrive } from '../steps.js';
import { hostNoteFor } from './node-host.js';

/** Which steps must be done before a drive of the data VM can be attached; key: its WWN. */
export type DriveReady = Map<Wwn, string | undefined>;

/** `undefined`: a problem keeps the node out. */
export function planDataVm(
  given: PlanContext,
  node: NodeDesign,
  dataVm: VmDesign,
  /** What must be done before a new disk is made. */
  needs: readonly (string | undefined)[],
): Planned<DriveReady | undefined> {
  return drafted<DriveReady | undefined>(given, (context) => {
    const answer = findVm(context.observed, dataVm.vmid);
    const kept = node.drives.filter((drive) => drive.owner === dataVm.vmid);
    if (mayCreate(context.observed, dataVm.vmid)) return createDataVm(context, node, dataVm, kept, needs);
    // Of a VM that is hidden or not ours the plan has a problem, and no step.
    if (answer.state !== 'present') return undefined;
    const there = answer.vm;
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
  });
}

function createDataVm(
  context: Draft,
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
  context: Draft,
  node: NodeDesign,
  dataVm: VmDesign,
  kept: readonly DriveDesign[],
  view: VmView,
): DriveReady | undefined {
  const { list } = context;
  const missing = kept.filter((drive) => !view.byWwn.has(drive.wwn));
  const talosView = viewOfTalosVm(context, node);
  const restored = new Map(
    missing.flatMap((drive) => {
      const there = ownedByTalosVm(node, talosView, drive.wwn);
      return there ? [[drive, there]] : [];
    }),
  );
  const renewal = context.resets.get(node.name);
  const fresh = missing.filter((drive) => !restored.has(drive) && !renewal?.wwns.has(drive.wwn));
  const wrong = driveProblems(context, node, kept, view, fresh);
  if (wrong.length > 0) {
    context.problems.push(...wrong);
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
  const text = hostNoteFor(context, node, provedDescription(context, node, 'data'));
  const description = printDataNotes(keepAdoptionNote(text, view.effective.description) ?? text, notes);
  const slots = freeSlots(context, node, view, [...missing, ...renewed]);
  if (!slots) return undefined;
  const ready: DriveReady = new Map(kept.map((drive) => [drive.wwn, undefined]));
  // Each writes the description as well: one after the other.
  let added: string | undefined;
  for (const [drive, slot] of slots) {
    const common = { node, host: view.vm.host, slot };
    const onTalosVm = restored.get(drive);
    if (onTalosVm) {
      const stopped = visibleVm(context.observed, node.talosVm.vmid)?.status === 'stopped';
      const talosSlot = onTalosVm.slot;
      ready.set(drive.wwn, handOverDrive(list, drive, { ...common, dataVm, talosSlot, stopped }));
      continue;
    }
    const old = aside.get(drive.wwn);
    const after = renewal?.after ?? [];
    if (old) {
      const reason = renewal?.why ?? '';
      ready.set(
        drive.wwn,
        renewDrive(list, drive, { ...common, reason, needs: after, aside: old, description }),
      );
      continue;
    }
    const isReset = renewal?.wwns.has(drive.wwn) === true;
    added = addDrive(list, drive, {
      ...common,
      reason: isReset ? renewal.why : `volume ${drive.name} is new`,
      impact: isReset ? 'reset' : 'none',
      needs: [...after, added],
      description,
    });
    ready.set(drive.wwn, added);
  }

  // The steps that add drives write the description themselves.
  const described = [...missing, ...renewed].some((drive) => !restored.has(drive));
  setOptions(context, node, dataVm, view, { description, described });
  changeDriveOptions(
    context,
    node,
    dataVm,
    view,
    kept.filter((drive) => !aside.has(drive.wwn)),
  );
  noteParked(context, node, kept, view, notes);
  return ready;
}

/** Disks that should be there and are not, or are somewhere else: nothing is made in their place. */
function driveProblems(
  context: PlanContext,
  node: NodeDesign,
  kept: readonly DriveDesign[],
  view: VmView,
  fresh: readonly DriveDesign[],
): Problem[] {
  const lost = fresh.filter((drive) => mustBeThere(context, drive, view));
  if (lost.length > 0) return [lostDrives(context, node, view, lost)];
  const misplaced = [...misplacedDrives(node, view), ...renamedAway(context, node, view, fresh)];
  if (misplaced.length > 0) return misplaced;
  const gone = kept.filter((drive) => isGone(context, view, drive));
  // A machine that runs with the disk knows better than a list of what our token may see.
  const uses = visibleVm(context.observed, node.talosVm.vmid)?.status === 'running';
  return gone.length > 0 && (context.resets.has(node.name) || !uses)
    ? [goneVolumes(context, node, view, gone)]
    : [];
}

function setOptions(
  context: Draft,
  node: NodeDesign,
  dataVm: VmDesign,
  view: VmView,
  { description, described }: { readonly description: string; readonly described: boolean },
): void {
  const { changes: all } = optionChanges(view, { name: dataVm.name, ...dataVm.options, description });
  const changes = Object.fromEntries(
    Object.entries(all).filter(([key]) => key !== 'description' || !described),
  );
  if (Object.keys(changes).length === 0) return;
  context.list.add(String(dataVm.vmid), {
    kind: 'set-options',
    node: node.name,
    title: `set ${Object.keys(changes).join(', ')} of data VM ${dataVm.vmid}`,
    reasons: Object.entries(changes).map(([key, change]) => reasonOf(key, change)),
    ...driftOf(
      Object.entries(changes).map(([key, change]) => [
        reasonOf(key, change),
        dataVmAuthor(key, change, node, viewOfTalosVm(context, node)),
      ]),
    ),
    impact: 'none',
    load: { host: view.vm.host },
    vmid: dataVm.vmid,
    host: view.vm.host,
    changes,
  });
}

function changeDriveOptions(
  context: Draft,
  node: NodeDesign,
  dataVm: VmDesign,
  view: VmView,
  drives: readonly DriveDesign[],
): void {
  for (const drive of drives) {
    const existing = view.byWwn.get(drive.wwn);
    const options = { ...drive.ownerOptions, wwn: drive.wwn };
    if (!existing || sameDriveOptions(existing.options, options)) continue;
    setDriveOptions(context.list, drive, existing, {
      node,
      host: view.vm.host,
      by: diskAuthor(node, viewOfTalosVm(context, node)),
      vmid: dataVm.vmid,
      options,
    });
  }
}

function viewOfTalosVm({ observed }: PlanContext, node: NodeDesign): VmView | undefined {
  const vm = visibleVm(observed, node.talosVm.vmid);
  return vm && vmView(vm);
}

function ownedByTalosVm(node: NodeDesign, view: VmView | undefined, wwn: Wwn): VmDrive | undefined {
  const drive = view?.byWwn.get(wwn);
  return drive && ownerOfVolume(drive.file) === node.talosVm.vmid ? drive : undefined;
}

/**
 * A data VM is made with its EPHEMERAL disk in one go, so a data VM without it has lost it. Any other disk may just
 * be new, unless there are volumes here whose identity got lost (Proxmox drops the WWN when a disk becomes `unusedN`).
 */
function mustBeThere(context: PlanContext, drive: DriveDesign, view: VmView): boolean {
  return drive.kind === 'ephemeral' || unusedVolumes(context, view).length > 0;
}

/** With these the identity of a volume can be checked also when oxherd.yaml no longer names it. */
function firstNames(kept: readonly DriveDesign[], noted?: DataNotes): Pick<DataNotes, 'firstNames'> {
  const first = new Map([
    ...(noted?.firstNames ?? []),
    ...kept.flatMap((drive) => (drive.was === undefined ? [] : [[drive.wwn, drive.was] as const])),
  ]);
  return first.size > 0 ? { firstNames: first } : {};
}
