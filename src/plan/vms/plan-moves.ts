/** A disk whose storage changes: stop, detach, move on the data VM, attach again; the start follows. */

import type { DriveDesign, NodeDesign, VmDesign } from '../../design/design.js';
import { highestFreeSlot, ownerOfVolume, storageOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { Wwn } from '../../model/identity.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { attachDrive, detachDrive, moveDrive, stopVm } from '../drives/drive-steps.js';
import { takenSlots, type VmView, vmView } from '../facts/view-of-vm.js';
import type { Draft } from '../planned.js';
import { driveMoveProblems } from './drive-move-problems.js';

export interface Moves {
  /** The last step of each move: what needs the disk waits for these. */
  readonly steps: ReadonlyMap<Wwn, string>;
  /** The Talos VM is down when these steps are done and must be started. */
  readonly stopped: boolean;
}

const NO_MOVES: Moves = { steps: new Map(), stopped: false };

export function planMoves(context: Draft, node: NodeDesign, talos: VmView | undefined): Moves {
  const { list, observed } = context;
  const { dataVm, talosVm } = node;
  const dataThere = dataVm && visibleVm(observed, dataVm.vmid);
  const data = dataThere && vmView(dataThere);
  if (!dataVm || !data) return NO_MOVES;
  const wanted = node.drives.filter((drive) => {
    const there = data.byWwn.get(drive.wwn);
    if (context.resets.get(node.name)?.wwns.has(drive.wwn)) return false;
    return (
      there && ownerOfVolume(there.file) === dataVm.vmid && storageOfVolume(there.file) !== drive.storage
    );
  });
  if (wanted.length === 0) return NO_MOVES;
  const problems = driveMoveProblems(context, node, wanted, { data, talos });
  if (problems.length > 0) {
    context.problems.push(...problems);
    return NO_MOVES;
  }

  const running = talos?.vm.status === 'running';
  const stopped = list.steps.find((step) => step.kind === 'stop-vm' && step.vmid === talosVm.vmid)?.id;
  const stop =
    stopped !== undefined || !running
      ? stopped
      : stopVm(list, {
          node,
          host: talos.vm.host,
          name: talos.vm.name,
          reasons: [`${wanted.map((drive) => drive.name).join(', ')} must not be written while it moves`],
        });
  const taken = talos ? takenSlots(talos) : new Set<string>();
  const steps = new Map(
    wanted.map((drive) => [drive.wwn, moveOne(context, node, dataVm, drive, { talos, data, stop, taken })]),
  );
  return { steps, stopped: running };
}

function moveOne(
  { list, moved }: Draft,
  node: NodeDesign,
  dataVm: VmDesign,
  drive: DriveDesign,
  at: { talos: VmView | undefined; data: VmView; stop: string | undefined; taken: Set<string> },
): string {
  const host = at.data.vm.host;
  const seen = at.talos?.byWwn.get(drive.wwn);
  const detach = seen
    ? detachDrive(
        list,
        { ...seen, wwn: drive.wwn },
        {
          node,
          host,
          title: `detach ${drive.name} from VM ${node.talosVm.vmid}`,
          reason: 'it is about to move',
          impact: 'none',
          needs: [at.stop],
        },
      )
    : at.stop;
  // Options go with a disk that moves: both write the same line of the data VM.
  const options = list.steps.find(
    (step) => step.kind === 'set-drive-options' && step.vmid === dataVm.vmid && step.wwn === drive.wwn,
  );
  const move = moveDrive(list, drive, {
    node,
    host,
    reason: `storage ${storageOfVolume(at.data.byWwn.get(drive.wwn)?.file ?? '')} → ${drive.storage}`,
    by: 'unknown',
    needs: [detach, options?.id],
  });
  if (!at.talos) return move;
  const slot = seen?.slot ?? moved?.drives.get(drive.wwn)?.slot ?? highestFreeSlot(at.taken) ?? '';
  at.taken.add(slot);
  return attachDrive(list, drive, {
    node,
    host,
    reason: 'it has moved',
    needs: [move],
    slot,
    running: false,
  });
}
