/**
 * Room `formats`: formats of Proxmox, Talos, Kubernetes and Terraform, read and written.
 * May touch: texts and values; of the rooms `model`.
 *
 * A VM's config, read in one place for everybody: what it runs with, what waits for its next start, and what its
 * snapshots hold; its drives on every bus by slot and by WWN, and every volume that any part of it names.
 */

import { parseVolumeId, parseWwn, type VolumeId, type Wwn } from '../../model/identity.js';
import { setOwn } from '../text/mapping.js';
import { type Drive, PropertyStringError, parseDrive } from './property-string.js';

/** As it was read; plain data. */
export interface VmState {
  readonly digest: string;
  /** What the running VM has, or the stopped one will start with. */
  readonly values: Readonly<Record<string, string>>;
  /** Changes that wait for a stop and start: the new value, or `null` where the key will go. */
  readonly pending: Readonly<Record<string, string | null>>;
  /** The config of each snapshot; absent: there is none, or they were not read. */
  readonly snapshots?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The answer of `GET …/pending`: both values of a key side by side. */
export interface PendingConfig {
  readonly digest: string;
  readonly entries: Readonly<
    Record<
      string,
      {
        readonly value: string | undefined;
        readonly pending: string | undefined;
        readonly delete: 0 | 1 | 2;
      }
    >
  >;
}

export type DriveRole =
  /** A disk that may hold data. */
  | 'disk'
  /** `efidisk0`: the firmware's variables. */
  | 'efi'
  /** `tpmstate0`: keys, as precious as what they encrypt. */
  | 'tpm'
  | 'cloudinit'
  /** A CD-ROM, empty or with an image. */
  | 'cdrom'
  /** Detached, but still in the config: the next removal erases it. */
  | 'unused';

export interface VmDrive extends Drive {
  /** `scsi0`, `virtio3`, `efidisk0`, `unused1`, … */
  readonly slot: string;
  readonly role: DriveRole;
  /** Absent where the line names none: `none`, `cdrom`, a device of the host. */
  readonly volid?: VolumeId;
  readonly wwn?: Wwn;
}

/** One place of the config that names a volume. */
export interface VolumeReference {
  readonly slot: string;
  readonly volid: VolumeId;
  readonly role: DriveRole | 'state';
  readonly wwn?: Wwn;
  /** As the line says, which may be stale. */
  readonly size?: number;
  /** `now`: the machine has it; `next`: from its next start on; else the snapshot's name. */
  readonly section: 'now' | 'next' | { readonly snapshot: string };
}

export interface VmConfig {
  readonly state: VmState;
  /** What the VM will have after its next start. */
  readonly effective: Readonly<Record<string, string>>;
  /** Every drive it will have, in the order of the buses; `unusedN` last. */
  readonly all: readonly VmDrive[];
  /** The disks among them, on every bus. */
  readonly drives: readonly VmDrive[];
  readonly bySlot: ReadonlyMap<string, VmDrive>;
  readonly byWwn: ReadonlyMap<Wwn, VmDrive>;
  /** `unusedN` → volume id. */
  readonly unused: Readonly<Record<string, string>>;
  /** Of now, of the next start, and of every snapshot that was read. */
  readonly references: readonly VolumeReference[];
}

const configs = new WeakMap<VmState, VmConfig>();

/** What was read does not change, so it is taken apart once. */
export function vmConfigOf(state: VmState): VmConfig {
  const seen = configs.get(state);
  if (seen) return seen;
  const config = takeApart(state);
  configs.set(state, config);
  return config;
}

function takeApart(state: VmState): VmConfig {
  const effective = effectiveValues(state);
  const all = drivesOf(effective);
  const drives = all.filter((drive) => drive.role === 'disk');
  const byWwn = new Map<Wwn, VmDrive>();
  for (const drive of drives) if (drive.wwn && !byWwn.has(drive.wwn)) byWwn.set(drive.wwn, drive);
  return {
    state,
    effective,
    all,
    drives,
    bySlot: new Map(all.map((drive) => [drive.slot, drive])),
    byWwn,
    unused: Object.fromEntries(
      all.filter(({ role }) => role === 'unused').map(({ slot, file }) => [slot, file]),
    ),
    references: referencesOf(state, all),
  };
}

/** The one merge of pending values. */
export function effectiveValues({ values, pending }: VmState): Record<string, string> {
  const merged = { ...values };
  for (const [key, value] of Object.entries(pending)) {
    if (value === null) delete merged[key];
    else setOwn(merged, key, value);
  }
  return merged;
}

export function stateOfPending({ digest, entries }: PendingConfig): VmState {
  const values: Record<string, string> = {};
  const pending: Record<string, string | null> = {};
  for (const [key, entry] of Object.entries(entries)) {
    if (entry.value !== undefined) setOwn(values, key, entry.value);
    if (entry.delete !== 0) setOwn(pending, key, null);
    else if (entry.pending !== undefined) setOwn(pending, key, entry.pending);
  }
  return { digest, values, pending };
}

const BUSES = ['scsi', 'virtio', 'sata', 'ide', 'efidisk', 'tpmstate', 'unused'];
const SLOT = /^(scsi|virtio|sata|ide|efidisk|tpmstate|unused)(\d+)$/;

export function isDriveSlot(key: string): boolean {
  return SLOT.test(key);
}

/** The disks of one section of a config, on every bus. */
export function diskDrives(values: Readonly<Record<string, string>>): VmDrive[] {
  return drivesOf(values).filter((drive) => drive.role === 'disk');
}

function drivesOf(values: Readonly<Record<string, string>>): VmDrive[] {
  return Object.entries(values)
    .flatMap(([slot, line]) => {
      const match = SLOT.exec(slot);
      if (!match) return [];
      return [
        { order: [BUSES.indexOf(match[1] ?? ''), Number(match[2])] as const, drive: driveOf(slot, line) },
      ];
    })
    .sort((a, b) => a.order[0] - b.order[0] || a.order[1] - b.order[1])
    .map(({ drive }) => drive);
}

/** A line that cannot be read still names something: it counts as a disk of which nothing is known. */
function driveOf(slot: string, line: string): VmDrive {
  const drive = readDrive(line);
  const volid = parseVolumeId(drive.file);
  const wwn = parseWwn((drive.options.wwn ?? '').toLowerCase());
  return { ...drive, slot, role: roleOf(slot, drive), ...(volid && { volid }), ...(wwn && { wwn }) };
}

function readDrive(line: string): Drive {
  try {
    return parseDrive(line);
  } catch (error) {
    if (!(error instanceof PropertyStringError)) throw error;
    return { file: (line.split(',')[0] ?? '').replace(/^(?:file|volume)=/, ''), options: {} };
  }
}

function roleOf(slot: string, { file, options }: Drive): DriveRole {
  if (slot.startsWith('unused')) return 'unused';
  if (slot.startsWith('efidisk')) return 'efi';
  if (slot.startsWith('tpmstate')) return 'tpm';
  if (options.media !== 'cdrom') return 'disk';
  // As Proxmox names the one it makes; another name behind `media=cdrom` is an image, or a disk in disguise.
  if (/[:/]vm-\d+-cloudinit(?:\.(?:raw|qcow2|vmdk))?$/.test(file)) return 'cloudinit';
  return isImage(file) ? 'cdrom' : 'disk';
}

function isImage(file: string): boolean {
  return file === 'none' || file === 'cdrom' || /^[^:]+:iso\//.test(file) || !file.includes(':');
}

/** `after`: the drives with all changes. */
function referencesOf({ values, pending, snapshots }: VmState, after: readonly VmDrive[]): VolumeReference[] {
  const now = Object.keys(pending).length === 0 ? after : drivesOf(values);
  const coming = Object.fromEntries(
    Object.entries(pending).flatMap(([key, value]) =>
      value === null || value === values[key] ? [] : [[key, value]],
    ),
  );
  return [
    ...namedIn(values, 'now', now),
    ...namedIn(coming, 'next'),
    ...Object.entries(snapshots ?? {}).flatMap(([snapshot, section]) => namedIn(section, { snapshot })),
  ];
}

function namedIn(
  values: Readonly<Record<string, string>>,
  section: VolumeReference['section'],
  own: readonly VmDrive[] = drivesOf(values),
): VolumeReference[] {
  const drives = own.flatMap(({ slot, volid, role, wwn, size }): VolumeReference[] =>
    volid === undefined
      ? []
      : [{ slot, volid, role, section, ...(wwn && { wwn }), ...(size !== undefined && { size }) }],
  );
  const state = parseVolumeId(values.vmstate ?? '');
  return state ? [...drives, { slot: 'vmstate', volid: state, role: 'state', section }] : drives;
}

/** `pending`, `snapshot before-upgrade`: where a reference stands, for messages; nothing for the current config. */
export function sectionName(section: VolumeReference['section']): string | undefined {
  if (section === 'now') return undefined;
  return section === 'next' ? 'pending' : `snapshot ${section.snapshot}`;
}
