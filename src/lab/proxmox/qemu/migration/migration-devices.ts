/** Devices that are bound to their host (qemu-server, PVE/QemuMigrate/Helpers.pm). */
import { parsePropertyString } from '../../../../formats/proxmox/property-string.js';
import { type Pve, PveError } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { numbered } from '../config/config-keys.js';
import type { Migration } from './migration.js';

interface MappedDevice {
  readonly name: string;
  readonly 'live-migration'?: 1;
}

interface HostDevices {
  /** In the way of a migration. */
  readonly local: readonly string[];
  readonly mapped: Readonly<Record<string, MappedDevice>>;
  /** Mapped devices that a host lacks. */
  missingOn(node: string): string[];
}

type Kind = 'usb' | 'hostpci' | 'virtiofs';

/** The lines of a mapping, or `undefined` where there is none of that name. */
function linesOf({ db }: Pick<Pve, 'db'>, kind: Kind, name: string): readonly string[] | undefined {
  if (kind === 'hostpci') return db.pciMappings.get(name)?.map;
  return db.otherMappings.get(`${kind === 'usb' ? 'usb' : 'dir'}/${name}`)?.map;
}

export function hostDevices(pve: Pick<Pve, 'db'>, vm: VmRecord): HostDevices {
  const local: string[] = vm.config.ivshmem === undefined ? [] : ['ivshmem'];
  const mapped: Record<string, MappedDevice> = {};
  const lines = new Map<string, readonly string[]>();
  for (const key of Object.keys(vm.config).sort()) {
    const kind = numbered(key)?.name ?? '';
    const text = vm.config[key] ?? '';
    if (kind === 'usb' || kind === 'hostpci' || kind === 'virtiofs') {
      const device = parsePropertyString(text, kind === 'virtiofs' ? 'dirid' : 'host');
      if (kind === 'usb' && /^spice$/i.test(device.host ?? '')) continue;
      const name = kind === 'virtiofs' ? device.dirid : device.mapping;
      if (name !== undefined) {
        const found = linesOf(pve, kind, name);
        if (!found && pve.db.hosts.size > 1) throw unknownMapping();
        lines.set(key, found ?? []);
        const live = kind === 'hostpci' && pve.db.pciMappings.get(name)?.['live-migration-capable'] === 1;
        mapped[key] = { name, ...(live ? { 'live-migration': 1 } : {}) };
        // Mapped devices of the other kinds are in the way all the same.
        if (kind === 'hostpci' && (live || !vm.running)) continue;
      }
      local.push(key);
    } else if (kind === 'parallel' || (kind === 'serial' && text !== 'socket')) local.push(key);
  }
  return {
    local,
    mapped,
    missingOn: (node) =>
      [...lines].flatMap(([key, map]) =>
        map.some((line) => parsePropertyString(line).node === node) ? [] : [key],
      ),
  };
}

/** Perl's own words: the mapping is used without a look whether it exists. */
function unknownMapping(): PveError {
  return new PveError(
    500,
    "Can't use an undefined value as an ARRAY reference at /usr/share/perl5/PVE/QemuMigrate/Helpers.pm line 63.",
  );
}

export function assertDevices(pve: Pve, vm: VmRecord, migration: Migration): void {
  const { local, mapped, missingOn } = hostDevices(pve, vm);
  if (local.length > 0 && (vm.running || !migration.force)) {
    throw new PveError(500, `can't migrate VM which uses local devices: ${local.join(', ')}`);
  }
  const missing = missingOn(migration.target);
  if (missing.length > 0) {
    throw new PveError(
      500,
      `can't migrate to '${migration.target}': missing mapped devices ${missing.join(', ')}`,
    );
  }
  const stuck = Object.entries(mapped).filter(([, device]) => device['live-migration'] === undefined);
  if (vm.running && stuck.length > 0) {
    const names = stuck.map(([key, { name }]) => `${key}:${name}`).join(', ');
    throw new PveError(500, `can't live migrate running VM which uses following mapped devices: ${names}`);
  }
}
