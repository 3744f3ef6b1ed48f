/** Taking, removing and going back to snapshots (pve-guest-common `snapshot_create` and its siblings). */
import { type Pve, PveError, type TaskContext } from '../../api.js';
import type { SnapshotRecord, VmRecord } from '../../db.js';
import { callerWithId } from '../../http/request.js';
import { free, NO_LOG } from '../../storage/allocate.js';
import { splitVolumeId } from '../../storage/volume-name.js';
import {
  assertRollback,
  deleteVolumeSnapshot,
  rollbackVolume,
  snapshotVolume,
} from '../../storage/volume-operations.js';
import { isUnusedKey } from '../config/config-keys.js';
import type { Config } from '../config/vm-config.js';
import { addUnused, drivesOf, isCdrom, isPlainCdrom } from '../disks/drives.js';
import { allHaveFeature } from '../features.js';
import { powerOff, powerOn } from '../power/machine.js';
import { assertUnlocked, loadVm, saveVm, snapshotOf } from '../vms.js';
import { STATE_KEYS, saveState, stateStorage } from './vm-state.js';

export interface SnapshotJob {
  readonly host: string;
  readonly vmid: number;
  readonly name: string;
  readonly user: string;
  readonly description?: string;
  readonly withState?: boolean;
  readonly force?: boolean;
  /** Start the VM after a rollback. */
  readonly start?: boolean;
}

function diskDrives(config: Config): { key: string; volid: string }[] {
  return drivesOf(config)
    .filter(({ drive }) => !isCdrom(drive) && splitVolumeId(drive.file))
    .map(({ key, drive }) => ({ key, volid: drive.file }));
}

/** Volumes of other VMs are in it like its own. */
export function createSnapshot(pve: Pve, job: SnapshotJob, task: TaskContext): undefined {
  const { host, vmid, name } = job;
  let vm = loadVm(pve, host, vmid);
  if (vm.template) throw new PveError(500, "you can't take a snapshot if it's a template");
  assertUnlocked(vm.config);
  if (snapshotOf(vm, name)) throw new PveError(500, `snapshot name '${name}' already used`);
  if (!allHaveFeature(pve, 'snapshot', vm.config)) {
    throw new PveError(500, 'snapshot feature is not available');
  }
  const description = job.description?.replace(/\s+$/, '');
  const withState = job.withState === true && vm.running !== undefined;
  const state = withState
    ? saveState(pve, vm, name, stateStorage(pve, vm.config), (line) => task.log(line))
    : {};
  vm.snapshots[name] = {
    name,
    ...(vm.config.parent === undefined ? {} : { parent: vm.config.parent }),
    ...(description ? { description } : {}),
    time: Math.floor(pve.core.clock.now() / 1000),
    vmstate: withState,
    config: { ...snapshotConfig(vm.config), ...state },
  };
  vm = saveVm(pve, vm);
  const done: string[] = [];
  try {
    for (const { key, volid } of diskDrives(vm.config)) {
      task.log(`snapshotting 'drive-${key}' (${volid})`);
      snapshotVolume(pve, host, volid, name);
      done.push(volid);
    }
  } catch (error) {
    task.log('snapshot create failed: starting cleanup');
    for (const volid of done) deleteVolumeSnapshot(pve, host, volid, name);
    delete vm.snapshots[name];
    saveVm(pve, vm);
    throw error;
  }
  vm.config.parent = name;
  saveVm(pve, vm);
  return undefined;
}

function snapshotConfig(config: Config): Config {
  const { lock: _lock, description: _text, parent: _parent, vmstate: _state, ...rest } = config;
  return Object.fromEntries(Object.entries(rest).filter(([key]) => !isUnusedKey(key)));
}

export function deleteSnapshot(pve: Pve, { host, vmid, name, force }: SnapshotJob): undefined {
  const vm = loadVm(pve, host, vmid);
  const snapshot = snapshotOf(vm, name);
  if (!snapshot) throw new PveError(500, `snapshot '${name}' does not exist`);
  assertUnlocked(vm.config);
  if (vm.template) throw new PveError(500, "you can't delete a snapshot if vm is a template");
  const held = diskDrives(snapshot.config);
  if (snapshot.config.vmstate !== undefined) free(pve, host, snapshot.config.vmstate);
  for (const { volid } of held) {
    try {
      deleteVolumeSnapshot(pve, host, volid, name);
    } catch (error) {
      if (!force) throw error;
    }
  }
  delete vm.snapshots[name];
  const orphan = (child: { parent?: string }) => {
    if (child.parent !== name) return;
    if (snapshot.parent === undefined) delete child.parent;
    else child.parent = snapshot.parent;
  };
  orphan(vm.config);
  for (const other of Object.values(vm.snapshots)) orphan(other);
  // What only the snapshot held is unused now; the write drops those that are attached.
  for (const { volid } of held) addUnused(vm.config, volid);
  saveVm(pve, vm);
  return undefined;
}

export function rollbackSnapshot(pve: Pve, { host, vmid, name }: SnapshotJob): void {
  let vm = loadVm(pve, host, vmid);
  if (vm.template) throw new PveError(500, "you can't rollback if vm is a template");
  const snapshot = snapshotOf(vm, name);
  if (!snapshot) throw new PveError(500, `snapshot '${name}' does not exist`);
  const disks = diskDrives(snapshot.config);
  for (const { volid } of disks) assertRollback(pve, host, volid, name);
  assertUnlocked(vm.config);
  if (vm.running) {
    powerOff(pve, vmid);
    vm = loadVm(pve, host, vmid);
  }
  vm.config.lock = 'rollback';
  vm = saveVm(pve, vm);
  for (const { volid } of disks) rollbackVolume(pve, host, volid, name);
  saveVm(pve, rolledBack(vm, snapshot));
  if (snapshot.vmstate) powerOn(callerWithId(pve, 'root@pam'), vmid, host, NO_LOG, { resume: true });
}

/** The description and the unused disks of today stay; disks the snapshot does not know become unused. */
function rolledBack(vm: VmRecord, snapshot: SnapshotRecord): VmRecord {
  const known = new Set(diskDrives(snapshot.config).map(({ volid }) => volid));
  const config: Config = {};
  for (const [key, value] of Object.entries(vm.config)) {
    if (isUnusedKey(key) || key === 'description') config[key] = value;
  }
  for (const { drive } of drivesOf(vm.config)) {
    if (!isPlainCdrom(drive) && splitVolumeId(drive.file) && !known.has(drive.file))
      addUnused(config, drive.file);
  }
  Object.assign(config, snapshot.config, { parent: snapshot.name });
  // The state stays the snapshot's own.
  for (const key of STATE_KEYS) delete config[key];
  return { ...vm, config, pending: { set: {}, delete: [] } };
}
