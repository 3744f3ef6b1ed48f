/** What is there when a node's VMs have moved: everything else that its plan holds is planned on that. */

import type { NodeDesign } from '../../design/design.js';
import { ownerOfVolume, storageOfVolume } from '../../formats/proxmox/drive-slots.js';
import type { VmDrive } from '../../formats/proxmox/vm-config.js';
import type { Wwn } from '../../model/identity.js';
import { known, type Observed, type ObservedVm, type ObservedVolume } from '../../observe/observed.js';
import { completeList, visibleEntry, withEntry } from '../../observe/observed-lists.js';
import { visibleVm, withVms } from '../../observe/observed-vms.js';
import { volumesAt } from '../../observe/observed-volumes.js';
import { type VmView, vmView } from '../facts/view-of-vm.js';
import type { PlanContext } from '../input.js';
import type { MovingVm } from './host-move-problems.js';
import { volumeLines } from './migration-route.js';

interface MoveOutcome {
  readonly vms: readonly MovingVm[];
  /** The Talos VM is down. */
  readonly stopped: boolean;
  /** Drives that it had to let go of, as they were. */
  readonly drives: ReadonlyMap<Wwn, VmDrive>;
}

/** What of a planner's context is another one once the node has moved. */
export type AfterMove = Required<Pick<PlanContext, 'observed' | 'moved'>>;

export function afterMove(context: PlanContext, node: NodeDesign, outcome: MoveOutcome): AfterMove {
  const { observed } = context;
  const moved: ObservedVm[] = [];
  let volumes = observed.volumes;
  for (const { view, route } of outcome.vms) {
    const isTalos = view.vm.vmid === node.talosVm.vmid;
    const rename = (line: string) => renamed(line, view, route.storages);
    moved.push(
      isTalos
        ? arrivedTalosVm(view, node.host, outcome, rename)
        : arrived(view, node.host, { rename, stopped: false, gone: new Set() }),
    );
    volumes = withVolumes(volumes, view, node.host, observed, route.storages);
  }
  // A Talos VM that is there already has stopped and let go of its disks all the same.
  const talos = visibleVm(observed, node.talosVm.vmid);
  const stays = talos && !moved.some(({ vmid }) => vmid === talos.vmid);
  const view = stays ? vmView(talos) : undefined;
  if (view) moved.push(arrivedTalosVm(view, node.host, outcome, (line) => line));
  return {
    observed: { ...observed, vms: withVms(observed.vms, moved), volumes },
    moved: { drives: outcome.drives, to: node.host },
  };
}

function arrivedTalosVm(
  view: VmView,
  host: string,
  { stopped, drives }: MoveOutcome,
  rename: (line: string) => string,
): ObservedVm {
  const gone = new Set([...drives.values()].map((drive) => drive.slot));
  return arrived(view, host, { rename, stopped, gone });
}

interface Arrival {
  readonly stopped: boolean;
  readonly rename: (line: string) => string;
  readonly gone: ReadonlySet<string>;
}

/** What was pending takes effect at the start that follows; a VM that goes on running keeps it. */
function arrived({ vm, state, effective }: VmView, host: string, arrival: Arrival): ObservedVm {
  const { stopped, rename, gone } = arrival;
  const stays = ([key]: readonly [string, unknown]) => !gone.has(key);
  const values = Object.entries(stopped ? effective : state.values).filter(stays);
  const pending = Object.entries(stopped ? {} : state.pending).filter(stays);
  const value = {
    ...state,
    values: Object.fromEntries(values.map(([key, line]) => [key, rename(line)])),
    pending: Object.fromEntries(pending.map(([key, line]) => [key, line === null ? null : rename(line)])),
  };
  return { ...vm, host, ...(stopped && { status: 'stopped' as const }), config: known(value) };
}

/** Volumes keep their names as far as a plan can know; Proxmox takes another number where one is taken. */
function renamed(line: string, { vm }: VmView, storages: Readonly<Record<string, string>>): string {
  const there = storages[storageOfVolume(line.split(',')[0] ?? '')];
  if (there === undefined || ownerOfVolume(line.split(',')[0] ?? '') !== vm.vmid) return line;
  return `${there}${line.slice(line.indexOf(':'))}`;
}

function withVolumes(
  volumes: Observed['volumes'],
  view: VmView,
  host: string,
  observed: Observed,
  storages: Readonly<Record<string, string>>,
): Observed['volumes'] {
  const result: Record<string, Observed['volumes'][string]> = { ...volumes };
  for (const { drive, shared } of volumeLines(view, observed)) {
    const storage = storageOfVolume(drive.file);
    const volume = visibleEntry(volumesAt(volumes, view.vm.host, storage), drive.file);
    if (shared || !volume || ownerOfVolume(drive.file) !== view.vm.vmid) continue;
    const volid = renamed(drive.file, view, storages);
    const place = `${host}/${storageOfVolume(volid)}`;
    const others = result[place] ?? completeList<ObservedVolume>({});
    result[place] = withEntry(others, volid, { ...volume, volid });
  }
  return result;
}
