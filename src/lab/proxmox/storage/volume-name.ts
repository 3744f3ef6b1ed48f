/** Volume ids and names, as pve-storage parses them for each type of storage. */
import { PveError } from '../api.js';
import type { StorageRecord } from '../db.js';
import { storageFacts } from './types.js';

type VolumeType = 'images' | 'rootdir' | 'iso' | 'import' | 'vztmpl' | 'backup' | 'snippets';

export interface VolumeName {
  readonly type: VolumeType;
  /** The last part: `vm-100-disk-0.raw`. */
  readonly name: string;
  /** The VM the name says it belongs to. */
  readonly owner?: number;
  /** Of a linked clone: where its base volume is, below the storage. */
  readonly base?: string;
  readonly isBase: boolean;
  readonly format: string;
  /** Below the storage, without the base: one volume has one place. */
  readonly place: string;
}

const VOLUME_ID = /^([a-z][a-z0-9\-_.]*[a-z0-9]):(.+)$/i;

/** `undefined` where the text is no `storage:name`. */
export function splitVolumeId(volid: string): { storage: string; name: string } | undefined {
  const match = VOLUME_ID.exec(volid);
  return match ? { storage: match[1] ?? '', name: match[2] ?? '' } : undefined;
}

export function requireVolumeId(volid: string): { storage: string; name: string } {
  const split = splitVolumeId(volid);
  if (!split) throw new PveError(500, `unable to parse volume ID '${volid}'`);
  return split;
}

export function isFileStorage(storage: StorageRecord): boolean {
  return storageFacts(storage.type).files;
}

export const ISO_EXTENSION = /\.(?:iso|img)$/i;
export const TEMPLATE_EXTENSION = /\.(?:tar\.(gz|xz|zst|bz2)|(tar))$/i;
const BACKUP_EXTENSION = /\.(tgz|(?:tar|vma)(?:\.(?:gz|lzo|zst|bz2))?)$/;
const IMPORT_FILE = /^[ a-zA-Z0-9\-.+=_]+\.(ova|ovf|qcow2|raw|vmdk)$/;

export function parseVolumeName(storage: StorageRecord, name: string): VolumeName {
  return isFileStorage(storage) ? parseFileName(name) : parseBlockName(storage, name);
}

function parseFileName(name: string): VolumeName {
  const clone = /^(\d+)\/(\S+)\/(\d+)\/(\S+)$/.exec(name);
  if (clone) {
    const base = clone[2] ?? '';
    parseImageFile(base);
    return imageFile(Number(clone[3]), clone[4] ?? '', `${clone[1]}/${base}`);
  }
  const image = /^(\d+)\/(\S+)$/.exec(name);
  if (image) return imageFile(Number(image[1]), image[2] ?? '');
  const [folder, ...rest] = name.split('/');
  const file = rest.join('/');
  const plain = (type: VolumeType, format = 'raw', owner?: number): VolumeName => ({
    type,
    name: file,
    isBase: false,
    format,
    place: name,
    ...(owner === undefined ? {} : { owner }),
  });
  if (rest.length === 1 && file !== '') {
    if (folder === 'iso' && ISO_EXTENSION.test(file)) return plain('iso');
    if (folder === 'vztmpl' && TEMPLATE_EXTENSION.test(file)) return plain('vztmpl');
    if (folder === 'snippets') return plain('snippets');
    if (folder === 'backup' && BACKUP_EXTENSION.test(file)) {
      const owner = /^vzdump-(?:openvz|lxc|qemu)-(\d+)-.+/.exec(file)?.[1];
      return plain('backup', 'raw', owner === undefined ? undefined : Number(owner));
    }
    const format = folder === 'import' ? IMPORT_FILE.exec(file)?.[1] : undefined;
    if (format) return plain('import', format);
  }
  throw new PveError(500, `unable to parse directory volume name '${name}'`);
}

function imageFile(owner: number, file: string, base?: string): VolumeName {
  const { format, isBase } = parseImageFile(file);
  return {
    type: 'images',
    name: file,
    owner,
    isBase,
    format,
    place: `${owner}/${file}`,
    ...(base ? { base } : {}),
  };
}

/** Directory storages take any file name with a known ending, not only `vm-…` (recording loose-volumes). */
export function parseImageFile(file: string): { format: string; isBase: boolean } {
  if (/^snap-.*\.qcow2$/.test(file)) {
    throw new PveError(500, `'${file}' is a snapshot filename, not a volume!`);
  }
  const match = /^[^/\s]+\.(raw|qcow2|vmdk|subvol)$/.exec(file);
  if (!match?.[1]) throw new PveError(500, `unable to parse volume filename '${file}'`);
  return { format: match[1], isBase: file.startsWith('base-') };
}

const BLOCK_KINDS: Partial<Record<StorageRecord['type'], string>> = {
  zfspool: 'zfs',
  lvm: 'lvm',
  lvmthin: 'lvm',
  rbd: 'rbd',
};

/** Its volumes do not show their origin in the name. */
export function isLvm({ type }: StorageRecord): boolean {
  return type === 'lvm' || type === 'lvmthin';
}

function parseBlockName(storage: StorageRecord, name: string): VolumeName {
  const zfs = storage.type === 'zfspool';
  const withBase = isLvm(storage) ? undefined : /^(base(?:vol)?-\d+-\S+)\/(\S+)$/.exec(name);
  const own = withBase?.[2] ?? name;
  const match = /^(base|vm|subvol|basevol)-(\d+)-[^\s/]+$/.exec(own);
  const subvolume = match?.[1]?.endsWith('vol') ?? false;
  if (!match || (subvolume && !zfs)) {
    throw new PveError(
      500,
      `unable to parse ${BLOCK_KINDS[storage.type] ?? storage.type} volume name '${name}'`,
    );
  }
  return {
    type: 'images',
    name: own,
    owner: Number(match[2]),
    isBase: match[1]?.startsWith('base') ?? false,
    format: subvolume ? 'subvol' : 'raw',
    place: own,
    ...(withBase?.[1] ? { base: withBase[1] } : {}),
  };
}

/** Where the host finds it. */
export function volumePath(storage: StorageRecord, volume: VolumeName): string {
  if (storage.type === 'zfspool') return `/dev/zvol/${storage.pool}/${volume.name}`;
  if (isLvm(storage)) return `/dev/${storage.pool ?? 'pve'}/${volume.name}`;
  if (storage.type === 'rbd') return `rbd:${storage.pool ?? 'rbd'}/${volume.name}`;
  if (storage.type === 'btrfs' && volume.type === 'images' && volume.format === 'raw') {
    return `${storage.path}/images/${volume.owner}/${volume.name.replace(/\.raw$/, '')}/disk.raw`;
  }
  const folder = volume.type === 'images' ? `images/${volume.owner}` : FOLDERS[volume.type];
  return `${storage.path}/${folder}/${volume.name}`;
}

const FOLDERS: Record<VolumeType, string> = {
  images: 'images',
  rootdir: 'private',
  iso: 'template/iso',
  vztmpl: 'template/cache',
  backup: 'dump',
  snippets: 'snippets',
  import: 'import',
};
