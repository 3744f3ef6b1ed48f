/** A VM goes to another host, with its local volumes (qemu-server `QemuMigrate`). */
import { parsePropertyString } from '../../../formats/property-string.js';
import { type Pve, PveError, type TaskContext } from '../api.js';
import type { StorageRecord, VmRecord } from '../db.js';
import { assertSpace, freeDiskName } from '../storage/allocate.js';
import { isOnNode, locate } from '../storage/storages.js';
import { isFileStorage, splitVolumeId } from '../storage/volume-name.js';
import { requireVolume } from '../storage/volume-operations.js';
import { errorText } from '../task-error.js';
import { deleteVolume, hasClones, putVolume, volumeAt, volumeId } from '../volumes.js';
import { numbered } from './config-keys.js';
import {
  drivesOf,
  isCdrom,
  isCloudInit,
  isPlainCdrom,
  namesVolume,
  parseDrive,
  printDrive,
  volumesNamed,
} from './drives.js';
import type { Config } from './vm-config.js';
import { findVm, loadVm, saveVm } from './vms.js';

export interface Migration {
  readonly host: string;
  readonly vmid: number;
  readonly target: string;
  readonly withLocalDisks: boolean;
  readonly force: boolean;
  readonly storages?: { readonly entries: Readonly<Record<string, string>>; readonly other?: string };
}

export function unlockMigration(pve: Pve, { host, vmid }: Pick<Migration, 'host' | 'vmid'>): void {
  const vm = findVm(pve, host, vmid);
  if (vm?.config.lock !== 'migrate') return;
  const { lock: _lock, ...config } = vm.config;
  pve.db.vms.put(String(vmid), { ...vm, config });
}

export function migrate(pve: Pve, migration: Migration, task: TaskContext): undefined {
  const stamp = () => new Date(pve.core.clock.now()).toISOString().slice(0, 19).replace('T', ' ');
  const log = (line: string) => task.log(`${stamp()} ${line}`);
  const { host, vmid, target } = migration;
  try {
    log(`starting migration of VM ${vmid} to node '${target}'`);
    const vm = loadVm(pve, host, vmid);
    assertDevices(pve, vm, migration);
    const volumes = scan(pve, vm, migration, log);
    const moved = moveVolumes(pve, migration, volumes, log);
    delete vm.config.lock;
    // The config is on the target from here on, and the machine, if it runs, goes on there.
    saveVm(pve, renamed({ ...vm, host: target }, moved));
  } catch (error) {
    unlockMigration(pve, migration);
    log(`ERROR: migration aborted (duration 00:00:05): ${errorText(error)}`);
    throw new PveError(500, 'migration aborted');
  }
  log('migration finished successfully (duration 00:00:05)');
  return undefined;
}

function assertDevices(pve: Pve, vm: VmRecord, migration: Migration): void {
  const devices = Object.keys(vm.config).filter((key) =>
    ['usb', 'hostpci', 'serial', 'parallel', 'virtiofs'].includes(numbered(key)?.name ?? ''),
  );
  const mappingOf = (key: string) => parsePropertyString(vm.config[key] ?? '', 'host').mapping;
  const local = devices.filter((key) => vm.config[key] !== 'socket' && mappingOf(key) === undefined);
  if (local.length > 0 && (vm.running || !migration.force)) {
    throw new PveError(500, `can't migrate VM which uses local devices: ${local.join(', ')}`);
  }
  const mapped = devices.filter((key) => mappingOf(key) !== undefined);
  const missing = mapped.filter((key) => {
    const map = pve.db.pciMappings.get(mappingOf(key) ?? '')?.map ?? [];
    return !map.some((line) => parsePropertyString(line).node === migration.target);
  });
  if (missing.length > 0) {
    throw new PveError(
      500,
      `can't migrate to '${migration.target}': missing mapped devices ${missing.join(', ')}`,
    );
  }
  if (vm.running && mapped.length > 0) {
    const names = mapped.map((key) => `${key}:${mappingOf(key)}`).join(', ');
    throw new PveError(500, `can't live migrate running VM which uses following mapped devices: ${names}`);
  }
}

/** The local volumes that must go along; anything in the way is told volume by volume. */
function scan(pve: Pve, vm: VmRecord, migration: Migration, log: (line: string) => void): string[] {
  const configs: Config[] = [vm.config, vm.pending.set, ...Object.values(vm.snapshots).map((s) => s.config)];
  const attached = new Map(drivesOf(vm.config).map(({ drive }) => [drive.file, drive]));
  const local: string[] = [];
  const problems = new Map<string, string>();
  for (const volid of new Set(configs.flatMap(volumesNamed))) {
    const { storage } = locate(pve, volid);
    try {
      assertTarget(pve, storage, migration);
      if (storage.shared) continue;
      const drive = attached.get(volid);
      assertMovable(pve, vm, volid, drive !== undefined && isPlainCdrom(drive));
      if (vm.running && drive && !isCdrom(drive) && !migration.withLocalDisks) {
        throw new PveError(500, "can't live migrate attached local disks without with-local-disks option");
      }
      local.push(volid);
      const where = drive ? (isCloudInit(drive) ? 'in current VM config' : 'attached') : 'unused';
      log(`found local disk '${volid}' (${where})`);
    } catch (error) {
      problems.set(volid, errorText(error));
    }
  }
  for (const [volid, problem] of [...problems].sort()) log(`can't migrate local disk '${volid}': ${problem}`);
  if (problems.size > 0) {
    throw new PveError(500, "Problem found while scanning volumes - can't migrate VM - check log");
  }
  return local.sort();
}

function targetStorage(storage: StorageRecord, { storages }: Migration): string {
  return storages?.entries[storage.id] ?? storages?.other ?? storage.id;
}

function assertTarget(pve: Pve, storage: StorageRecord, migration: Migration): void {
  const id = storage.shared ? storage.id : targetStorage(storage, migration);
  const target = pve.db.storages.get(id);
  if (!target || !isOnNode(target, migration.target)) {
    throw new PveError(500, `storage '${id}' is not available on node '${migration.target}'`);
  }
}

function assertMovable(pve: Pve, vm: VmRecord, volid: string, cdrom: boolean): void {
  requireVolume(pve, vm.host, volid);
  if (cdrom) throw new PveError(500, 'local cdrom image');
  const { storage, volume } = locate(pve, volid);
  if (volume.owner !== vm.vmid) throw new PveError(500, `owned by other VM (owner = VM ${volume.owner})`);
  if (hasClones(pve.db, storage, vm.host, volume.place)) {
    throw new PveError(500, 'referenced by linked clone(s)');
  }
  if (volume.base !== undefined) {
    throw new PveError(500, `can't migrate '${volid}' as it's a clone of '${volume.base}'`);
  }
}

/** A copy that fails is the end of it: what was copied goes again, and the originals are removed only after the last. */
function assertRoom(pve: Pve, migration: Migration, volid: string): void {
  const { storage: from, volume: name } = locate(pve, volid);
  const to = pve.db.storages.get(targetStorage(from, migration)) ?? from;
  const volume = requireVolume(pve, migration.host, volid);
  try {
    assertSpace(pve, to, migration.target, name.name, volume.path, volume.used);
  } catch (error) {
    const text = `storage migration for '${volid}' to storage '${to.id}' failed - ${errorText(error)}`;
    throw new PveError(500, text);
  }
}

/** To the same storage name there, under the same name unless that is taken. Old volid → new one. */
function moveVolumes(
  pve: Pve,
  migration: Migration,
  volids: readonly string[],
  log: (line: string) => void,
): Map<string, string> {
  const moved = new Map<string, string>();
  if (volids.length > 0) log('copying local disk images');
  for (const volid of volids) assertRoom(pve, migration, volid);
  for (const volid of volids) {
    const { storage: from, volume: name } = locate(pve, volid);
    const to = pve.db.storages.get(targetStorage(from, migration)) ?? from;
    const volume = requireVolume(pve, migration.host, volid);
    const same = from.id === to.id && !volumeAt(pve.db, to, migration.target, name.place);
    const format = isFileStorage(to) ? volume.format : 'raw';
    const file = freeDiskName(pve, to, migration.target, migration.vmid, format);
    const path = same ? volume.path : isFileStorage(to) ? `${migration.vmid}/${file}` : file;
    deleteVolume(pve.db, from, volume);
    const arrived = { ...volume, host: migration.target, storage: to.id, path, format };
    putVolume(pve.db, to, arrived);
    moved.set(volid, volumeId(arrived));
    log(`volume '${volid}' is '${volumeId(arrived)}' on the target`);
  }
  return moved;
}

function renamed(vm: VmRecord, moved: ReadonlyMap<string, string>): VmRecord {
  const rename = (config: Config): Config => {
    const result: Config = { ...config };
    for (const [key, line] of Object.entries(config)) {
      if (!namesVolume(key)) continue;
      const drive = parseDrive(line);
      const file = splitVolumeId(drive.file) && moved.get(drive.file);
      if (file) result[key] = printDrive({ ...drive, file });
    }
    return result;
  };
  const snapshots = Object.fromEntries(
    Object.entries(vm.snapshots).map(([name, snapshot]) => [
      name,
      { ...snapshot, config: rename(snapshot.config) },
    ]),
  );
  return {
    ...vm,
    config: rename(vm.config),
    pending: { ...vm.pending, set: rename(vm.pending.set) },
    snapshots,
    ...(vm.running ? { running: { ...vm.running, config: rename(vm.running.config) } } : {}),
  };
}
