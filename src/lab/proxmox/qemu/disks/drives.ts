/** Drives of a VM: what a config line says, whose volume it is, the list of unused volumes. */
import { type Drive, parseDrive, printDrive } from '../../../../formats/proxmox/property-string.js';
import { bytes } from '../../../../model/size.js';
import { type Pve, PveError } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { locate } from '../../storage/storages.js';
import { splitVolumeId } from '../../storage/volume-name.js';
import { DRIVE_KEYS, isDriveKey, isUnusedKey, numbered } from '../config/config-keys.js';
import type { Config } from '../config/vm-config.js';

/** `storage:SIZE` asks for a new volume; the size is in GiB. */
export const NEW_DISK = /^(?:([^/:\s]+):)?(\d+(?:\.\d+)?)$/;

export function isCdrom(drive: Drive): boolean {
  return drive.options.media === 'cdrom';
}

export function isCloudInit(drive: Drive): boolean {
  return /[:/](?:vm-\d+-)?cloudinit(?:\.(?:raw|qcow|qcow2|qed|vmdk|cloop))?$/.test(drive.file);
}

/** Installation media and empty trays, but no cloud-init drive. */
export function isPlainCdrom(drive: Drive): boolean {
  return isCdrom(drive) && !isCloudInit(drive);
}

/** The drives of a config in Proxmox's own order. */
export function drivesOf(config: Config): { key: string; drive: Drive }[] {
  return DRIVE_KEYS.flatMap((key) => {
    const line = config[key];
    return line === undefined ? [] : [{ key, drive: parseDrive(line) }];
  });
}

export function unusedOf(config: Config): { key: string; volid: string }[] {
  return Object.keys(config)
    .filter(isUnusedKey)
    .sort((a, b) => (numbered(a)?.index ?? 0) - (numbered(b)?.index ?? 0))
    .map((key) => ({ key, volid: parseDrive(config[key] ?? '').file }));
}

export function withFile(drive: Drive, file: string, size?: number): Drive {
  const { format: _dropped, ...options } = drive.options;
  return size === undefined ? { file, options } : { file, size: bytes(size), options };
}

export function withSize(drive: Drive, size: number): Drive {
  return { ...drive, size: bytes(size) };
}

export function withoutSize({ file, options }: Drive): Drive {
  return { file, options };
}

export { type Drive, parseDrive, printDrive };

/** Ownership is in the volume's name, not in who uses it. */
export function ownsVolume(pve: Pick<Pve, 'db'>, vmid: number, volid: string): boolean {
  const split = splitVolumeId(volid);
  if (!split || !pve.db.storages.has(split.storage)) return false;
  return locate(pve, volid).volume.owner === vmid;
}

/** To the lowest free `unusedN`, unless it is there already. Options are lost: only the volume stays. */
export function addUnused(config: Config, volid: string): string | undefined {
  if (unusedOf(config).some((unused) => unused.volid === volid)) return undefined;
  for (let index = 0; index < 256; index += 1) {
    const key = `unused${index}`;
    if (config[key] !== undefined) continue;
    config[key] = volid;
    return key;
  }
  throw new PveError(500, 'Too many unused volumes - please delete them first.');
}

/** Is the volume on another slot, or does a snapshot hold it? `skip`: the slot it is asked for. */
export function isInUse(pve: Pick<Pve, 'db'>, vm: VmRecord, skip: string, volid: string): boolean {
  const place = placeOf(pve, volid);
  const names = (config: Config, without?: string) =>
    drivesOf(config).some(
      ({ key, drive }) => key !== without && !isCdrom(drive) && placeOf(pve, drive.file) === place,
    );
  if (names(vm.config, skip)) return true;
  return Object.values(vm.snapshots).some((snapshot) => names(snapshot.config));
}

/** The same volume can be named with and without its base. */
function placeOf(pve: Pick<Pve, 'db'>, volid: string): string {
  const split = splitVolumeId(volid);
  if (!split || !pve.db.storages.has(split.storage)) return volid;
  return `${split.storage}:${locate(pve, volid).volume.place}`;
}

/** Every volume a config names: on drives, as unused ones, as a saved state. */
export function volumesNamed(config: Config): string[] {
  return Object.keys(config)
    .filter(namesVolume)
    .map((key) => parseDrive(config[key] ?? '').file)
    .filter((file) => splitVolumeId(file) !== undefined);
}

export function namesVolume(key: string): boolean {
  return isDriveKey(key) || isUnusedKey(key) || key === 'vmstate';
}
