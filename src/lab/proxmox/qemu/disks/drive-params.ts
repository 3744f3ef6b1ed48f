/** Drive lines as callers send them: checked, put into Proxmox's own form, and allowed or not. */
import { PropertyStringError } from '../../../../formats/proxmox/property-string.js';
import { type Pve, PveError } from '../../api.js';
import type { Caller } from '../../http/request.js';
import { requireVolumeAccess } from '../../storage/access.js';
import { locate, requireStorage } from '../../storage/storages.js';
import { isFileStorage, splitVolumeId } from '../../storage/volume-name.js';
import { isDriveKey, isUnusedKey } from '../config/config-keys.js';
import type { Config } from '../config/vm-config.js';
import { type Drive, isCdrom, NEW_DISK, parseDrive, printDrive } from './drives.js';

function drivesSent(params: Config): { key: string; drive: Drive }[] {
  return Object.keys(params)
    .filter(isDriveKey)
    .sort()
    .map((key) => ({ key, drive: readDrive(key, params[key] ?? '') }));
}

function readDrive(key: string, line: string): Drive {
  try {
    const drive = parseDrive(line);
    assertSensible(key, drive);
    return drive;
  } catch (error) {
    if (error instanceof PropertyStringError) throw unreadable(key);
    throw error;
  }
}

function unreadable(key: string): PveError {
  return PveError.parameter({ [key]: 'unable to parse drive options' });
}

/** Combinations that qemu-server's `parse_drive` does not take. */
function assertSensible(key: string, drive: Drive): void {
  const { options } = drive;
  const both = (a: string, b: string) => Number(options[a] ?? 0) > 0 && Number(options[b] ?? 0) > 0;
  const cdrom = isCdrom(drive);
  if (
    both('mbps_rd', 'mbps') ||
    both('mbps_wr', 'mbps') ||
    both('iops_rd', 'iops') ||
    both('iops_wr', 'iops') ||
    (cdrom && (options.snapshot === '1' || options.format !== undefined || key.startsWith('virtio')))
  ) {
    throw unreadable(key);
  }
}

/** `cdrom` is another name of `ide2`. */
export function resolveCdromAlias(params: Config): Config {
  const { cdrom, ...rest } = params;
  if (cdrom === undefined) return params;
  return { ...rest, ide2: cdrom.includes('media=') ? cdrom : `${cdrom},media=cdrom` };
}

/** qemu-server `check_drive_param`: the params with each drive line in Proxmox's own form. */
export function normaliseDrives(pve: Pick<Pve, 'db'>, params: Config): Config {
  const result = { ...params };
  for (const { key, drive } of drivesSent(params)) {
    if (drive.options['import-from'] !== undefined) assertImport(key, drive);
    const named = withKnownPath(pve, key, drive);
    assertMedia(pve, key, named);
    result[key] = printDrive(named);
  }
  return result;
}

function assertImport(key: string, drive: Drive): void {
  const size = NEW_DISK.exec(drive.file)?.[2];
  if (size === undefined || Number(size) !== 0) {
    throw PveError.parameter({
      [key]: "'import-from' requires special syntax - use <storage ID>:0,import-from=<source>",
    });
  }
  const needed =
    key === 'efidisk0' ? ['efitype', 'pre-enrolled-keys'] : key === 'tpmstate0' ? ['version'] : [];
  const missing = needed.find((option) => drive.options[option] === undefined);
  if (missing) {
    throw PveError.parameter({ [key]: `need to specify '${missing}' when using 'import-from'` });
  }
}

/** A path below a storage becomes the volume it is; a device stays a path. */
function withKnownPath(pve: Pick<Pve, 'db'>, key: string, drive: Drive): Drive {
  const { file } = drive;
  const tray = /^(cdrom|none)$/.test(file);
  if (tray && drive.options.media === undefined) {
    return { ...drive, options: { ...drive.options, media: 'cdrom' } };
  }
  if (tray || file.startsWith('/dev/') || /^[^:]+:.+$/.test(file) || /^\d+$/.test(file)) return drive;
  for (const storage of pve.db.storages.values()) {
    const images = `${storage.path}/images/`;
    const isos = `${storage.path}/template/iso/`;
    if (!isFileStorage(storage)) continue;
    if (file.startsWith(images)) return { ...drive, file: `${storage.id}:${file.slice(images.length)}` };
    if (file.startsWith(isos)) {
      const options = { ...drive.options, media: drive.options.media ?? 'cdrom' };
      return { ...drive, file: `${storage.id}:iso/${file.slice(isos.length)}`, options };
    }
  }
  throw PveError.parameter({ [key]: `unable to associate path '${file}' to any storage` });
}

function assertMedia(pve: Pick<Pve, 'db'>, key: string, drive: Drive): void {
  const split = splitVolumeId(drive.file);
  if (!split || NEW_DISK.test(drive.file) || split.name === 'cloudinit') return;
  if (locate(pve, drive.file).volume.type === 'iso' && !isCdrom(drive)) {
    throw PveError.parameter({ [key]: "explicit 'media=cdrom' is required for iso images" });
  }
}

/** qemu-server `check_storage_access`: may the caller use what the drive lines name? */
export function requireStorageAccess(
  caller: Caller,
  vmid: number,
  params: Config,
  defaultStorage?: string,
): void {
  for (const { key, drive } of drivesSent(params)) {
    requireTarget(caller, vmid, key, drive, defaultStorage);
    if (drive.options['import-from'] !== undefined) {
      requireSource(caller, vmid, key, drive.options['import-from']);
    }
  }
  for (const key of Object.keys(params).filter(isUnusedKey).sort()) {
    const { file } = readDrive(key, params[key] ?? '');
    if (!splitVolumeId(file)) throw PveError.parameter({ [key]: `not a valid volid: ${file}` });
    requireVolumeAccess(caller, file, vmid, 'images');
  }
  if (params.vmstatestorage !== undefined) {
    caller.require(`/storage/${params.vmstatestorage}`, ['Datastore.AllocateSpace']);
  }
}

function requireTarget(
  caller: Caller,
  vmid: number,
  key: string,
  drive: Drive,
  defaultStorage: string | undefined,
): void {
  const { file } = drive;
  const split = splitVolumeId(file);
  if (file === 'none' || file === 'cloudinit' || split?.name === 'cloudinit') return;
  if (isCdrom(drive) && file === 'cdrom') {
    caller.require('/', ['Sys.Console']);
    return;
  }
  const asked = isCdrom(drive) ? null : NEW_DISK.exec(file);
  if (asked) {
    const id = asked[1] ?? defaultStorage;
    if (id === undefined) throw new PveError(500, 'no storage ID specified (and no default storage)');
    caller.require(`/storage/${id}`, ['Datastore.AllocateSpace']);
    if (!requireStorage(caller.pve, id).content.includes('images')) {
      throw PveError.parameter({ storage: `storage '${id}' does not support vm images` });
    }
    return;
  }
  requireVolumeAccess(caller, file, vmid);
  if (!split) return;
  const { type } = locate(caller.pve, file).volume;
  if (type !== 'images' && type !== 'iso') {
    throw PveError.parameter({ [key]: "content type needs to be 'images' or 'iso'" });
  }
}

function requireSource(caller: Caller, vmid: number, key: string, source: string): void {
  if (splitVolumeId(source)) {
    const { volume } = locate(caller.pve, source);
    if (volume.type !== 'images' && volume.type !== 'import') {
      throw PveError.parameter({
        [key]: `${source} has wrong type '${volume.type}' - needs to be 'images' or 'import'`,
      });
    }
    if (volume.owner !== undefined) {
      caller.require(`/vms/${volume.owner}`, ['VM.Clone']);
      return;
    }
  }
  requireVolumeAccess(caller, source, vmid);
}
