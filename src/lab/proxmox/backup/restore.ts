/** A VM made from a backup (qemu-server, `restore_vma_archive`): its disks belong to the id it is restored as. */
import { type Call, type Pve, PveError, type TaskContext } from '../api.js';
import { newVm } from '../db.js';
import { nodeOf, vmidOf } from '../http/request.js';
import { isDriveKey, isNetKey } from '../qemu/config/config-keys.js';
import { newMeta, withNewMac, withNewUuid } from '../qemu/config/identity.js';
import type { Config } from '../qemu/config/vm-config.js';
import { pickFormat } from '../qemu/disks/create-disks.js';
import {
  addUnused,
  drivesOf,
  isCdrom,
  isCloudInit,
  ownsVolume,
  parseDrive,
  printDrive,
  withFile,
} from '../qemu/disks/drives.js';
import { startTask } from '../qemu/power/power-tasks.js';
import { assertUnlocked, assertUnprotected, findVm, saveVm } from '../qemu/vms.js';
import { requireVolumeAccess } from '../storage/access.js';
import { allocate, free, freeAll } from '../storage/allocate.js';
import { requireStorage, requireStorageOnNode } from '../storage/storages.js';
import { requireVolumeId, splitVolumeId } from '../storage/volume-name.js';
import { errorText } from '../tasks/task-error.js';
import { findVolume, volumeId } from '../volumes.js';
import { type BackupArchive, requireArchive } from './archive.js';

const TASK = 'qmrestore';

interface Restore {
  readonly host: string;
  readonly vmid: number;
  readonly archive: string;
  readonly storage?: string;
  /** New MAC addresses and a new uuid. */
  readonly unique: boolean;
  readonly start: boolean;
  readonly changes: Config;
  readonly user: string;
  readonly isNew: boolean;
  readonly live: boolean;
}

const NOT_LIVE = 'live-restore is only compatible with backup images from a Proxmox Backup Server';

export function defineRestoreTask(pve: Pve): void {
  pve.tasks.define<Restore>(
    TASK,
    (restore, task) => carryOut(pve, restore, task),
    ({ vmid, isNew }) => {
      if (isNew) pve.db.vms.delete(String(vmid));
      return undefined;
    },
  );
}

/** What is told at once of an archive that cannot be restored, before the other parameters are looked at. */
export function assertRestorable(call: Call, archive: string): void {
  const drive = Object.keys(call.params).filter(isDriveKey).sort()[0];
  if (drive !== undefined) throw PveError.parameter({ [drive]: "option conflicts with option 'archive'" });
  if (archive === '-') throw new PveError(500, 'pipe requires cli environment');
  requireVolumeAccess(call, archive, vmidOf(call), 'backup');
  if (!splitVolumeId(archive)) throw new PveError(500, `can't find file '${archive}'`);
  if (!findVolume(call.pve.db, nodeOf(call), archive)) {
    throw new PveError(500, `volume '${archive}' does not exist`);
  }
}

export function startRestore(call: Call, changes: Config): string {
  const { pve } = call;
  const host = nodeOf(call);
  const vmid = vmidOf(call);
  const archive = call.text('archive') ?? '';
  const storage = call.text('storage');
  const there = pve.db.vms.get(String(vmid));
  if (there && !call.flag('force')) {
    throw new PveError(
      500,
      `unable to restore VM ${vmid} - VM ${vmid} already exists on node '${there.host}'`,
    );
  }
  if (there) {
    if (there.host !== host) throw new PveError(500, `unable to restore VM ${vmid} - wrong node`);
    assertUnlocked(there.config);
    assertUnprotected(there.config, `unable to restore VM ${vmid}`);
    if (there.running) throw new PveError(500, `unable to restore VM ${vmid} - vm is running`);
  }
  if (!there) saveVm(pve, newVm(host, vmid, { lock: 'create' }));
  const args: Restore = {
    host,
    vmid,
    archive,
    ...(storage === undefined ? {} : { storage }),
    unique: call.flag('unique'),
    start: call.flag('start'),
    changes,
    user: call.who.id,
    isNew: !there,
    live: call.flag('live-restore'),
  };
  return pve.tasks.start(call, { node: host, type: TASK, id: String(vmid), args, duration: 5_000 });
}

function carryOut(pve: Pve, restore: Restore, task: TaskContext): undefined {
  const { host, vmid } = restore;
  const made: string[] = [];
  try {
    if (restore.live) throw new PveError(500, NOT_LIVE);
    const archive = requireArchive(pve, host, restore.archive);
    task.log(`restore vma archive: ${restore.archive}`);
    const config = { ...restoredConfig(pve, restore, archive), ...restore.changes };
    for (const [key, disk] of Object.entries(archive.disks)) {
      const storage = requireStorageOnNode(pve, restore.storage ?? requireVolumeId(disk.volid).storage, host);
      const format = pickFormat(requireStorage(pve, storage.id), disk.format);
      const { size, used, data } = disk;
      const volume = allocate(pve, { host, storage: storage.id, vmid, format, size, used, data }, (line) =>
        task.log(line),
      );
      made.push(volumeId(volume));
      task.log(`new volume ID is '${volumeId(volume)}'`);
      config[key] = printDrive(
        withFile(parseDrive(archive.config[key] ?? ''), volumeId(volume), volume.size),
      );
    }
    replaceOld(pve, restore, Object.keys(archive.disks), config);
    saveVm(pve, newVm(host, vmid, config));
  } catch (error) {
    freeAll(pve, host, made);
    if (restore.isNew) pve.db.vms.delete(String(vmid));
    throw new PveError(500, `unable to restore VM ${vmid} - ${errorText(error)}`);
  }
  if (restore.start) startTask(pve, { user: restore.user }, { host, vmid });
  return undefined;
}

/** Disks that are not in the backup are not in the config either. */
function restoredConfig(pve: Pve, { unique }: Restore, archive: BackupArchive): Config {
  const config: Config = {};
  for (const [key, value] of Object.entries(archive.config)) {
    const isDisk = drivesOf({ [key]: value }).some(({ drive }) => !isCdrom(drive) || isCloudInit(drive));
    if (isDisk || /^(unused\d+|parent|vmstate|snaptime|digest)$/.test(key)) continue;
    config[key] = unique && isNetKey(key) ? withNewMac(pve, value) : value;
  }
  if (config.vmgenid !== undefined) config.vmgenid = pve.core.random.uuid();
  if (unique) config.smbios1 = withNewUuid(pve, config.smbios1);
  config.meta ??= newMeta(pve);
  return config;
}

/** A disk whose slot is restored is destroyed, if the VM owns it; its other disks become unused. */
function replaceOld(pve: Pve, { host, vmid }: Restore, slots: readonly string[], config: Config): void {
  const old = findVm(pve, host, vmid);
  for (const { key, drive } of drivesOf(old?.config ?? {})) {
    if (isCdrom(drive) || !ownsVolume(pve, vmid, drive.file)) continue;
    if (slots.includes(key)) free(pve, host, drive.file);
    else addUnused(config, drive.file);
  }
}
