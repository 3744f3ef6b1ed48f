/** The volumes that drive lines ask for (qemu-server `create_disks`). */
import { type Pve, PveError } from '../../api.js';
import { allocate, binarySize, copyVolume, free, type Log } from '../../storage/allocate.js';
import { defaultFormat, locate, requireStorage, takesFormat } from '../../storage/storages.js';
import { isFileStorage, splitVolumeId, volumePath } from '../../storage/volume-name.js';
import { createBase, missingVolume, requireVolume, virtualSize } from '../../storage/volume-operations.js';
import { errorText } from '../../tasks/task-error.js';
import { findVolume, volumeAt, volumeId } from '../../volumes.js';
import { isDriveKey } from '../config/config-keys.js';
import type { Config } from '../config/vm-config.js';
import {
  type Drive,
  drivesOf,
  isCloudInit,
  NEW_DISK,
  parseDrive,
  printDrive,
  withFile,
  withoutSize,
  withSize,
} from './drives.js';
import { CLOUD_INIT_SIZE, fixedSize } from './fixed-sizes.js';

interface DiskOrder {
  readonly host: string;
  readonly vmid: number;
  /** What the VM has already, pending changes included. */
  readonly existing: readonly Config[];
  /** Drive lines, by slot. */
  readonly lines: Config;
  readonly defaultStorage?: string | undefined;
  readonly log: Log;
}

export interface Disks {
  /** Volumes made, to be freed should the rest fail. */
  readonly made: readonly string[];
  readonly lines: Config;
}

/** In alphabetical order of the slots, which decides the disk numbers. What was made is freed on an error. */
export function createDisks(pve: Pve, order: DiskOrder): Disks {
  const made: string[] = [];
  const lines: Config = {};
  try {
    for (const key of Object.keys(order.lines).filter(isDriveKey).sort()) {
      lines[key] = createDisk(pve, order, key, parseDrive(order.lines[key] ?? ''), lines, made);
    }
  } catch (error) {
    for (const volid of made) free(pve, order.host, volid);
    throw error;
  }
  return { made, lines };
}

function createDisk(
  pve: Pve,
  order: DiskOrder,
  key: string,
  drive: Drive,
  others: Config,
  made: string[],
): string {
  if (drive.file === 'none' || drive.file === 'cdrom') return printDrive(withoutSize(drive));
  const split = splitVolumeId(drive.file);
  if (split?.name === 'cloudinit')
    return createCloudInit(pve, order, key, drive, split.storage, others, made);
  const asked = NEW_DISK.exec(drive.file);
  if (!asked) return attach(pve, order, key, drive, others);
  const storage = asked[1] ?? order.defaultStorage;
  if (storage === undefined) throw new PveError(500, 'no storage ID specified (and no default storage)');
  const { 'import-from': source, ...options } = drive.options;
  const wanted = { ...drive, options };
  const line =
    source === undefined
      ? createEmpty(pve, order, key, wanted, storage, Number(asked[2]), made)
      : importDisk(pve, order, key, wanted, storage, source, made);
  order.log(`${key}: successfully created disk '${line}'`);
  return line;
}

function createCloudInit(
  pve: Pve,
  order: DiskOrder,
  key: string,
  drive: Drive,
  storageId: string,
  others: Config,
  made: string[],
): string {
  assertNoCloudInit(order, key, others);
  const storage = requireStorage(pve, storageId);
  const format = drive.options.format ?? (isFileStorage(storage) ? 'qcow2' : 'raw');
  const name = `vm-${order.vmid}-cloudinit${isFileStorage(storage) ? `.${format}` : ''}`;
  const wanted = {
    host: order.host,
    storage: storageId,
    vmid: order.vmid,
    format,
    name,
    size: CLOUD_INIT_SIZE,
  };
  const volid = volumeId(allocate(pve, wanted, order.log));
  made.push(volid);
  const cdrom = withFile(drive, volid);
  const line = printDrive({ ...cdrom, options: { ...cdrom.options, media: 'cdrom' } });
  order.log(`${key}: successfully created disk '${line}'`);
  return line;
}

function assertNoCloudInit(order: DiskOrder, key: string, others: Config): void {
  for (const config of [...order.existing, others]) {
    const taken = drivesOf(config).find((other) => other.key !== key && isCloudInit(other.drive));
    if (taken) throw new PveError(500, `${key} - cloud-init drive is already attached at '${taken.key}'`);
  }
}

function createEmpty(
  pve: Pve,
  order: DiskOrder,
  key: string,
  drive: Drive,
  storage: string,
  gibibytes: number,
  made: string[],
): string {
  const efi = key === 'efidisk0';
  const size = fixedSize(key, drive) ?? Math.ceil(gibibytes * 1024 ** 2) * 1024;
  const { host, vmid } = order;
  // A TPM can only use raw volumes, and gets another one where it is told to.
  const format =
    drive.options.format ?? (key === 'tpmstate0' ? 'raw' : defaultFormat(requireStorage(pve, storage)));
  const volume = allocate(pve, { host, storage, vmid, format, size }, order.log);
  if (efi) {
    order.log(`transferred 0.0 B of ${binarySize(size)} (0.00%)`);
    order.log(`transferred ${binarySize(size)} of ${binarySize(size)} (100.00%)`);
  }
  const volid = asTemplateDisk(pve, order, volumeId(volume));
  made.push(volid);
  // The disk's line tells what was asked for, an EFI disk's what it got.
  const line = withFile(drive, volid, efi ? volume.size : size);
  return printDrive(efi ? withMicrosoftKeys(line) : line);
}

/** A disk of a template is a base volume from the start. */
function asTemplateDisk(pve: Pve, order: DiskOrder, volid: string): string {
  return order.existing.some((config) => config.template === '1')
    ? createBase(pve, order.host, volid)
    : volid;
}

/** Variables with keys enrolled carry Microsoft's certificates of 2023 since Proxmox VE 9.1. */
function withMicrosoftKeys(drive: Drive): Drive {
  if (drive.options['pre-enrolled-keys'] !== '1' || drive.options.efitype !== '4m') return drive;
  return { ...drive, options: { ...drive.options, 'ms-cert': '2023k' } };
}

function importDisk(
  pve: Pve,
  order: DiskOrder,
  key: string,
  drive: Drive,
  storageId: string,
  source: string,
  made: string[],
): string {
  if (!splitVolumeId(source)) throw new PveError(500, `can't find file '${source}'`);
  const { storage, volume: name } = locate(pve, source);
  const image = volumeAt(pve.db, storage, order.host, name.place);
  if (!image && name.type === 'import') {
    throw new PveError(500, `failed to stat '${volumePath(storage, name)}'`);
  }
  try {
    if (!image) {
      throw isFileStorage(storage)
        ? new PveError(500, `could not get size of ${source}`)
        : missingVolume(storage, name, source);
    }
    const from = nameOnOwner(pve, order.host, source, name.owner);
    assertSameKind(from, key);
    order.log(`create full clone of drive ${from === undefined ? '' : `${from} `}(${source})`);
    const target = requireStorage(pve, storageId);
    const format = pickFormat(target, drive.options.format ?? name.format);
    const size = fixedSize(key, drive) ?? image.size;
    const file = { path: volumePath(storage, name), format: name.format };
    const copy = copyVolume(
      pve,
      { ...image, file },
      { host: order.host, storage: storageId, vmid: order.vmid, format, size },
      order.log,
    );
    const volid = asTemplateDisk(pve, order, volumeId(copy));
    made.push(volid);
    return printDrive(withFile(drive, volid, copy.size));
  } catch (error) {
    throw new PveError(500, `cannot import from '${source}' - ${errorText(error)}`);
  }
}

function assertSameKind(from: string | undefined, to: string): void {
  if (from === undefined || from === to) return;
  if ([from, to].includes('efidisk0')) throw new PveError(500, 'cloning from/to EFI disk requires EFI disk');
  if ([from, to].includes('tpmstate0'))
    throw new PveError(500, 'cloning from/to TPM state requires TPM state');
}

/** The slot on which the owner has the volume that is copied. */
function nameOnOwner(pve: Pve, host: string, volid: string, owner: number | undefined): string | undefined {
  const vm = owner === undefined ? undefined : pve.db.vms.get(String(owner));
  if (vm && vm.host !== host) throw new PveError(500, `owner VM ${owner} not on local node`);
  return vm && drivesOf(vm.config).find(({ drive }) => drive.file === volid)?.key;
}

/** The format asked for where the storage has it, else its own. */
export function pickFormat(storage: Parameters<typeof takesFormat>[0], format: string): string {
  return takesFormat(storage, format) ? format : defaultFormat(storage);
}

function attach(pve: Pve, order: DiskOrder, key: string, drive: Drive, others: Config): string {
  // Hosts of the lab have no devices of their own.
  if (!splitVolumeId(drive.file)) throw new PveError(500, `volume ${drive.file} does not exist`);
  const { storage, volume: name } = locate(pve, drive.file);
  const { format } = drive.options;
  if (format !== undefined && format !== name.format) {
    throw new PveError(
      500,
      `drive '${key}' - volume '${drive.file}' - 'format=${format}' option different from storage format '${name.format}'`,
    );
  }
  if (isCloudInit(drive)) assertNoCloudInit(order, key, others);
  if (!findVolume(pve.db, order.host, drive.file)) {
    throw storage.type === 'zfspool'
      ? new PveError(500, `timeout: no zvol device link for '${name.name}' found after 10 sec.`)
      : new PveError(500, `volume '${drive.file}' does not exist`);
  }
  const size = virtualSize(requireVolume(pve, order.host, drive.file));
  if (size === 0) throw new PveError(500, `volume ${drive.file} does not exist`);
  return printDrive(withSize(drive, size));
}
