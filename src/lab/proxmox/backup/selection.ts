/** Which guests a backup takes, and what of them (pve-manager, PVE/VZDump.pm). */
import { type Pve, PveError } from '../api.js';
import type { VmRecord } from '../db.js';
import { drivesOf, isCdrom } from '../qemu/disks/drives.js';
import { splitVolumeId } from '../storage/volume-name.js';
import { splitList } from '../validation/formats.js';
import { notesTemplateProblem } from './notes-template.js';

interface Selection {
  readonly vmid?: string | undefined;
  readonly all?: boolean | undefined;
  readonly exclude?: string | undefined;
  readonly pool?: string | undefined;
  readonly stop?: boolean | undefined;
}

type Options = Readonly<Record<string, unknown>>;

function selectionOf(options: Options): Selection {
  const text = (name: string) => (options[name] === undefined ? undefined : String(options[name]));
  return {
    vmid: text('vmid'),
    all: Number(options.all ?? 0) === 1,
    exclude: text('exclude'),
    pool: text('pool'),
    stop: Number(options.stop ?? 0) === 1,
  };
}

/** What excludes each other is refused, and so are notes that cannot be written. */
export function checkOptions(options: Options): void {
  const { vmid, all, exclude, pool } = selectionOf(options);
  const conflict = (name: string) => PveError.parameter({ [name]: "option conflicts with option 'vmid'" });
  if (all && vmid) throw conflict('all');
  if (exclude && vmid) throw conflict('exclude');
  if (pool && vmid) throw conflict('pool');
  const problem = notesTemplateProblem(String(options['notes-template'] ?? ''));
  if (problem !== undefined) throw PveError.parameter({ 'notes-template': problem });
}

/** A backup of nothing is refused. */
export function checkSelected(options: Options): void {
  const { vmid, all, exclude, pool, stop } = selectionOf(options);
  const everything = all || (exclude !== undefined && !pool);
  if (!(everything || stop || vmid || pool)) throw PveError.parameter({ vmid: 'property is missing' });
}

/** By host; guests that are nowhere under an empty name. */
export function selectedGuests(pve: Pick<Pve, 'db'>, options: Options): Map<string, number[]> {
  const { vmid, all, exclude, pool } = selectionOf(options);
  const excluded = new Set(splitList(exclude ?? '').map(Number));
  const wanted =
    vmid !== undefined
      ? splitList(vmid).map(Number)
      : pool !== undefined
        ? requirePool(pve, pool).vms
        : all || exclude !== undefined
          ? [...pve.db.vms.values()].map((vm) => vm.vmid)
          : [];
  const guests = new Map<string, number[]>();
  for (const id of [...wanted].sort((a, b) => a - b)) {
    if (excluded.has(id)) continue;
    const host = pve.db.vms.get(String(id))?.host ?? '';
    guests.set(host, [...(guests.get(host) ?? []), id]);
  }
  return guests;
}

function requirePool(pve: Pick<Pve, 'db'>, id: string) {
  const pool = pve.db.pools.get(id);
  if (!pool) throw new PveError(500, `pool '${id}' does not exist`);
  return pool;
}

interface BackupDrive {
  readonly key: string;
  readonly volid: string;
  readonly included: boolean;
  readonly reason: string;
}

/** Disks of other VMs are in it like its own; installation media and what says `backup=0` are not. */
export function backupDrives({ config }: Pick<VmRecord, 'config'>): BackupDrive[] {
  return drivesOf(config).flatMap(({ key, drive }) => {
    if (isCdrom(drive) || !splitVolumeId(drive.file)) return [];
    const volid = drive.file;
    if (key === 'efidisk0' && config.bios !== 'ovmf') {
      return [{ key, volid, included: false, reason: 'efidisk but no OVMF BIOS' }];
    }
    const { backup } = drive.options;
    // What is said at all is called a no.
    return [
      { key, volid, included: backup !== '0', reason: backup === undefined ? 'backup=yes' : 'backup=no' },
    ];
  });
}
