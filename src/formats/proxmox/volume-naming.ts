/**
 * Every place in the config of a guest that names a volume: drives of VMs, mount points of containers, by volume id or
 * by the path of the device or file that the volume is on its host.
 */
import { parseVolumeId, type VolumeId } from '../../model/identity.js';
import { PropertyStringError, parsePropertyString } from './property-string.js';
import { type DriveRole, type VmState, type VolumeReference, vmConfigOf } from './vm-config.js';

export interface VolumeNaming {
  readonly slot: string;
  readonly section: VolumeReference['section'];
  readonly role?: DriveRole | 'state';
  readonly wwn?: VolumeReference['wwn'];
  /** Absent where a path is named. */
  readonly volid?: VolumeId;
  /** `/dev/zvol/rpool/data/vm-1510-disk-0`, or text that holds one (`args`). */
  readonly path?: string;
}

export function vmNamings(state: VmState): VolumeNaming[] {
  return [...vmConfigOf(state).references, ...sections(state, VM_LINE, vmPath)];
}

/** `rootfs`, `mp0`, `unused0`: a volume, or a device or directory of the host. */
export function containerNamings(state: VmState): VolumeNaming[] {
  return sections(state, CONTAINER_LINE, (line) => {
    const volume = firstValue(line, 'volume');
    const volid = parseVolumeId(volume);
    return volid ? { volid } : pathIn(volume);
  });
}

export function namesVolume({ volid, path }: VolumeNaming, wanted: string): boolean {
  if (path === undefined) return volid === wanted;
  const name = wanted.replace(/^.*[:/]/, '').replace(/\.(raw|qcow2|vmdk|subvol)$/, '');
  if (!/^(vm|base|subvol)-\d+-/.test(name)) return false;
  // The device mapper doubles every hyphen of a name.
  const text = path.replaceAll('--', '-');
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    if (!/\w/.test(text[at - 1] ?? '') && !/\d/.test(text[at + name.length] ?? '')) return true;
  }
  return false;
}

/** The same name on a storage of another name: perhaps the same volume. */
export function sameNameElsewhere({ volid, role }: VolumeNaming, wanted: string): boolean {
  if (volid === undefined || role === 'cdrom' || volid === wanted) return false;
  return nameOnStorage(volid) === nameOnStorage(wanted);
}

/** A network share is mounted once for each storage that names it, below the storage's own name. */
export function pathOnStorage(storage: string, path: string): string {
  return path.replace(`/mnt/pve/${storage}/`, '/mnt/pve/*/');
}

/** `vm-1510-disk-0`, `1510/vm-1510-disk-0.qcow2` */
export function nameOnStorage(volid: string): string {
  return volid.slice(volid.indexOf(':') + 1);
}

const VM_LINE = /^(?:(?:scsi|virtio|sata|ide|efidisk|tpmstate|unused)\d+|args)$/;
const CONTAINER_LINE = /^(?:rootfs|(?:mp|unused|dev)\d+)$/;

function vmPath(line: string, key: string): Pick<VolumeNaming, 'path'> | undefined {
  return key === 'args' ? { path: line } : pathIn(firstValue(line, 'file'));
}

function pathIn(value: string): { readonly path: string } | undefined {
  return value.startsWith('/') ? { path: value } : undefined;
}

function firstValue(line: string, key: string): string {
  try {
    return parsePropertyString(line, key)[key] ?? '';
  } catch (error) {
    if (!(error instanceof PropertyStringError)) throw error;
    return (line.split(',')[0] ?? '').replace(/^(?:file|volume|path)=/, '');
  }
}

function sections(
  { values, pending, snapshots }: VmState,
  lines: RegExp,
  read: (line: string, key: string) => Pick<VolumeNaming, 'volid' | 'path'> | undefined,
): VolumeNaming[] {
  const of = (section: VolumeNaming['section'], config: Readonly<Record<string, string | null>>) =>
    Object.entries(config).flatMap(([slot, line]): VolumeNaming[] => {
      const named = line !== null && lines.test(slot) ? read(line, slot) : undefined;
      return named ? [{ slot, section, ...named }] : [];
    });
  return [
    ...of('now', values),
    ...of('next', pending),
    ...Object.entries(snapshots ?? {}).flatMap(([snapshot, config]) => of({ snapshot }, config)),
  ];
}
