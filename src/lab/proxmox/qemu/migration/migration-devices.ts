/** Devices that are bound to their host (qemu-server, PVE/QemuMigrate/Helpers.pm). */
import { parsePropertyString } from '../../../../formats/proxmox/property-string.js';
import { type Pve, PveError } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { numbered } from '../config/config-keys.js';
import type { Migration } from './migration.js';

export function assertDevices(pve: Pve, vm: VmRecord, migration: Migration): void {
  const devices = Object.keys(vm.config).filter((key) =>
    ['usb', 'hostpci', 'serial', 'parallel', 'virtiofs'].includes(numbered(key)?.name ?? ''),
  );
  const mappingOf = (key: string) => parsePropertyString(vm.config[key] ?? '', 'host').mapping;
  const local = devices.filter((key) => vm.config[key] !== 'socket' && mappingOf(key) === undefined);
  if (local.length > 0 && (vm.running || !migration.force)) {
    throw new PveError(500, `can't migrate VM which uses local devices: ${local.join(', ')}`);
  }
  const mapped = devices.filter((key) => mappingOf(key) !== undefined);
  const missing = mapped.filter((key) => {
    const map = pve.db.pciMappings.get(mappingOf(key) ?? '')?.map ?? [];
    return !map.some((line) => parsePropertyString(line).node === migration.target);
  });
  if (missing.length > 0) {
    throw new PveError(
      500,
      `can't migrate to '${migration.target}': missing mapped devices ${missing.join(', ')}`,
    );
  }
  if (vm.running && mapped.length > 0) {
    const names = mapped.map((key) => `${key}:${mappingOf(key)}`).join(', ');
    throw new PveError(500, `can't live migrate running VM which uses following mapped devices: ${names}`);
  }
}
