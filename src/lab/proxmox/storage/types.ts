/** What each type of storage is: its options, the contents it takes, who shares it (pve-storage, the plugins). */
import { type SectionOptions, sectionOptions } from '../section-config.js';

const STORAGE_TYPES = [
  'btrfs',
  'cephfs',
  'cifs',
  'dir',
  'esxi',
  'iscsi',
  'iscsidirect',
  'lvm',
  'lvmthin',
  'nfs',
  'pbs',
  'rbd',
  'zfs',
  'zfspool',
] as const;
export type StorageType = (typeof STORAGE_TYPES)[number];

export function isStorageType(text: string): text is StorageType {
  return STORAGE_TYPES.some((type) => type === text);
}

export interface StorageTypeFacts {
  readonly options: SectionOptions;
  readonly contents: readonly string[];
  readonly defaultContents: readonly string[];
  /** Reached by every host, whatever `shared` says. */
  readonly shared: boolean;
  /** Images are files below a path. */
  readonly files: boolean;
  /** Where the hosts mount it. */
  readonly mounted: boolean;
  /** Of images. */
  readonly formats: readonly string[];
  /** Volumes are made elsewhere, and chosen here. */
  readonly existing: boolean;
}

const EVERY = 'nodes disable content';
const FILES =
  'prune-backups max-protected-backups format mkdir create-base-path create-subdirs bwlimit preallocation content-dirs';
const FILE_CONTENTS = 'images rootdir vztmpl iso backup snippets import';

interface Row {
  readonly options: readonly string[];
  readonly contents: string;
  readonly byDefault: string;
  readonly formats?: string;
  readonly existing?: true;
  readonly shared?: true;
  readonly files?: true;
  readonly mounted?: true;
}

const ROWS: Readonly<Record<StorageType, Row>> = {
  dir: {
    options: ['path!', EVERY, FILES, 'shared is_mountpoint snapshot-as-volume-chain'],
    contents: `${FILE_CONTENTS} none`,
    formats: 'qcow2 raw subvol vmdk',
    byDefault: 'images rootdir',
    files: true,
  },
  btrfs: {
    options: ['path!', EVERY, FILES, 'shared is_mountpoint nocow'],
    contents: `${FILE_CONTENTS} none`,
    formats: 'raw subvol',
    byDefault: 'images rootdir',
    files: true,
  },
  nfs: {
    options: ['path!? server! export!', EVERY, FILES, 'options snapshot-as-volume-chain'],
    contents: FILE_CONTENTS,
    formats: 'qcow2 raw vmdk',
    byDefault: 'images',
    shared: true,
    files: true,
    mounted: true,
  },
  cifs: {
    options: [
      'path!? server! share!',
      EVERY,
      FILES,
      'subdir username password domain smbversion options snapshot-as-volume-chain',
    ],
    contents: FILE_CONTENTS,
    formats: 'qcow2 raw vmdk',
    byDefault: 'images',
    shared: true,
    files: true,
    mounted: true,
  },
  cephfs: {
    options: ['path!?', EVERY, FILES, 'monhost subdir options username fuse keyring fs-name'],
    contents: 'vztmpl iso backup snippets import',
    byDefault: 'backup',
    shared: true,
    files: true,
    mounted: true,
  },
  lvm: {
    options: [
      'vgname! base!?',
      EVERY,
      'shared saferemove saferemove_throughput saferemove-stepsize tagged_only bwlimit snapshot-as-volume-chain',
    ],
    contents: 'images rootdir',
    byDefault: 'images',
  },
  lvmthin: {
    options: ['vgname! thinpool!', EVERY, 'bwlimit'],
    contents: 'images rootdir',
    byDefault: 'images rootdir',
  },
  zfspool: {
    options: ['pool!', EVERY, 'blocksize sparse bwlimit mountpoint'],
    contents: 'images rootdir',
    formats: 'raw subvol',
    byDefault: 'images rootdir',
  },
  rbd: {
    options: [EVERY, 'monhost pool data-pool namespace username krbd keyring authsupported bwlimit'],
    contents: 'images rootdir',
    byDefault: 'images',
    shared: true,
  },
  iscsi: {
    options: ['portal! target!', EVERY, 'bwlimit'],
    contents: 'images none',
    byDefault: 'images',
    shared: true,
    existing: true,
  },
  iscsidirect: {
    options: ['portal! target!', EVERY, 'bwlimit'],
    contents: 'images none',
    byDefault: 'images',
    shared: true,
    existing: true,
  },
  zfs: {
    options: [
      'portal! target! pool! blocksize! iscsiprovider!',
      EVERY,
      'nowritecache sparse comstar_hg comstar_tg lio_tpg zfs-base-path bwlimit',
    ],
    contents: 'images',
    byDefault: 'images',
    shared: true,
  },
  pbs: {
    options: [
      'server! datastore!',
      EVERY,
      'namespace port username password encryption-key master-pubkey fingerprint prune-backups max-protected-backups',
    ],
    contents: 'backup none',
    byDefault: 'backup',
    shared: true,
  },
  esxi: {
    options: ['server!', EVERY, 'shared username password skip-cert-verification port'],
    contents: 'import',
    byDefault: 'import',
    formats: 'qcow2 raw vmdk',
  },
};

function facts(row: Row): StorageTypeFacts {
  return {
    options: sectionOptions(...row.options),
    contents: row.contents.split(' '),
    defaultContents: row.byDefault.split(' '),
    shared: row.shared ?? false,
    files: row.files ?? false,
    mounted: row.mounted ?? false,
    formats: (row.formats ?? 'raw').split(' '),
    existing: row.existing ?? false,
  };
}

const FACTS = new Map(STORAGE_TYPES.map((type) => [type, facts(ROWS[type])]));

export function storageFacts(type: StorageType): StorageTypeFacts {
  const found = FACTS.get(type);
  if (!found) throw new Error(`no storage type ${type}`);
  return found;
}

/** Kept in files of their own, never in the config. */
const SECRETS: Partial<Record<StorageType, readonly string[]>> = {
  cifs: ['password'],
  esxi: ['password'],
  pbs: ['password', 'encryption-key', 'master-pubkey'],
  rbd: ['keyring'],
  cephfs: ['keyring'],
};

export function secretsOf(type: StorageType): readonly string[] {
  return SECRETS[type] ?? [];
}
