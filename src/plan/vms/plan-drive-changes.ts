/** Every drive that an existing Talos VM should have: there, large enough, with its options. */

import type { DriveDesign, NodeDesign } from '../../design/design.js';
import { talosVolumeOf } from '../../design/disk-identity.js';
import { highestFreeSlot } from '../../formats/proxmox/drive-slots.js';
import type { VmDrive } from '../../formats/proxmox/vm-config.js';
import { sameDriveOptions } from '../../formats/proxmox/vm-option.js';
import { type Author, diskAuthor } from '../drift/drift-authors.js';
import { noSlot } from '../drives/drive-problems.js';
import { setDriveOptions } from '../drives/drive-steps.js';
import { attachMissing, growDrive } from '../drives/plan-talos-drives.js';
import { needsRestart } from '../effects/drives.js';
import { driveChange } from '../facts/drive-facts.js';
import { livingEtcd } from '../facts/members.js';
import { takenSlots, type VmView } from '../facts/view-of-vm.js';
import type { Problem } from '../plan.js';
import type { Draft } from '../planned.js';
import type { DriveReady } from './plan-data-vm.js';
import type { Moves } from './plan-moves.js';

interface SettledDrives {
  readonly steps: readonly (string | undefined)[];
  /** What waits for a stop and start, as reasons. */
  readonly restart: readonly (readonly [reason: string, by: Author])[];
  /** Disks that were detached from the running machine: it mounts them again at a boot, though nothing is pending. */
  readonly detached: readonly string[];
}

/** `undefined`: there is no slot left, and that is said. */
export function planDriveChanges(
  context: Draft,
  node: NodeDesign,
  view: VmView,
  ready: DriveReady,
  moves: Moves,
): SettledDrives | undefined {
  const renewal = context.resets.get(node.name);
  const steps: (string | undefined)[] = [];
  const restart: [string, Author][] = [];
  const detached = renewal || context.moved ? [] : detachedDrives(context, node, view);
  if (detached.length > 0 && node.role === 'controlplane' && livingEtcd(context).state !== 'living') {
    context.problems.push(stopFirst(node, view, detached));
    return undefined;
  }
  const taken = takenSlots(view);
  for (const drive of node.drives) {
    const there = view.byWwn.get(drive.wwn);
    const before = there ?? context.moved?.drives.get(drive.wwn);
    const moved = moves.steps.get(drive.wwn);
    if (moved !== undefined) {
      steps.push(growLater(context, node, view, drive, before, moved));
      continue;
    }
    // A system disk that is gone is made again, not attached.
    if (!there && drive.kind === 'os') continue;
    if (!there || renewal?.wwns.has(drive.wwn)) {
      const slot = before?.slot ?? highestFreeSlot(taken);
      if (slot === undefined) {
        context.problems.push(noSlot(node, view.vm.vmid, drive.name));
        return undefined;
      }
      taken.add(slot);
      const attach = attachMissing(context, node, view, drive, slot, ready.get(drive.wwn));
      // A disk that is made again has its size.
      const grown = renewal ? undefined : growLater(context, node, view, drive, before, attach);
      steps.push(attach, grown);
      continue;
    }
    // A disk that goes to the data VM first: the VM starts with it under its new name.
    const handedOver = ready.get(drive.wwn);
    steps.push(handedOver, growDrive(context, node, view, drive, there));
    const options = optionsOf(drive, view);
    if (!sameDriveOptions(there.options, options)) {
      steps.push(
        setDriveOptions(context.list, drive, there, {
          node,
          host: view.vm.host,
          by: diskAuthor(node, view),
          needs: [handedOver],
          vmid: view.vm.vmid,
          options,
        }),
      );
      if (view.vm.status === 'running' && needsRestart(there.options, options))
        restart.push([`${drive.name}: ${driveChange(there.options, options)}`, diskAuthor(node, view)]);
    } else if (view.vm.status === 'running' && view.state.pending[there.slot] !== undefined) {
      restart.push([`options of ${drive.name} are pending`, undefined]);
    }
  }
  return { steps, restart, detached };
}

/** A volume whose disk went away under a running machine stays dead there, also once the disk is attached again. */
function detachedDrives({ observed }: Draft, node: NodeDesign, { vm, byWwn }: VmView): string[] {
  const details = observed.machines[node.name]?.details;
  if (vm.status !== 'running' || !details?.known) return [];
  const { volumes } = details.value;
  return node.drives
    .filter((drive) => drive.owner !== vm.vmid)
    .filter((drive) => {
      const volume = volumes.find(({ id }) => id === talosVolumeOf(drive));
      return volume?.phase === 'ready' && (volume.detached === true || !byWwn.has(drive.wwn));
    })
    .map((drive) => `${drive.name} was detached while the machine ran; it is mounted again at the next boot`);
}

/** While no etcd answers, nothing can be rolled: a VM that is off is started with its disks, and etcd resumes. */
function stopFirst(node: NodeDesign, { vm }: VmView, detached: readonly string[]): Problem {
  return {
    code: 'drive-detached',
    scope: 'node',
    node: node.name,
    message: `${node.name}: ${detached.join('; ')}; no etcd member answers, so it is not restarted in turn`,
    advice: `stop its VM, which has no running member: qm stop ${vm.vmid}; then oxherd apply attaches the disk and starts it`,
  };
}

/** Through the Talos VM, once it has the drive again. */
function growLater(
  context: Draft,
  node: NodeDesign,
  view: VmView,
  drive: DriveDesign,
  before: VmDrive | undefined,
  attach: string,
): string | undefined {
  const grow = before && growDrive(context, node, view, drive, before);
  if (grow !== undefined) context.list.addNeeds([grow], attach);
  return grow;
}

function optionsOf(drive: DriveDesign, view: VmView): Record<string, string> {
  return { ...(drive.owner === view.vm.vmid ? drive.ownerOptions : drive.talosOptions), wwn: drive.wwn };
}
