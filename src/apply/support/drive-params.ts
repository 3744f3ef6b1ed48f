/** Drives as the API takes them. */
import type { AuxiliaryDrive } from '../../design/design.js';
import { printPropertyString } from '../../formats/proxmox/property-string.js';
import { GIB } from '../../model/size.js';
import type { AttachedDrive, NewDrive } from '../../plan/steps.js';

/** `storage:SIZE` in GiB makes a new volume; with `import-from` the size is the image's. */
export function newDriveParam(drive: NewDrive): string {
  const file = drive.importFrom === undefined ? `${drive.storage}:${drive.size / GIB}` : `${drive.storage}:0`;
  return printPropertyString(
    {
      ...drive.options,
      file,
      wwn: drive.wwn,
      ...(drive.importFrom !== undefined && { 'import-from': drive.importFrom }),
    },
    'file',
  );
}

export function attachedDriveParam(drive: AttachedDrive, volid: string): string {
  return printPropertyString({ ...drive.options, file: volid, wwn: drive.wwn }, 'file');
}

export function auxiliaryParam(drive: AuxiliaryDrive): string {
  switch (drive.kind) {
    case 'efi':
      return printPropertyString(
        {
          file: `${drive.storage}:1`,
          efitype: drive.efitype,
          ...(drive.preEnrolledKeys && { 'pre-enrolled-keys': '1' }),
        },
        'file',
      );
    case 'tpm':
      return printPropertyString({ file: `${drive.storage}:1`, version: drive.version }, 'file');
    case 'cloudinit':
      return printPropertyString({ file: `${drive.storage}:cloudinit`, media: 'cdrom' }, 'file');
    case 'cdrom':
      return printPropertyString({ file: drive.volid, media: 'cdrom' }, 'file');
  }
}
