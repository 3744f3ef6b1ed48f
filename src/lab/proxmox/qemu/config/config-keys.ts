/** The options of a VM's config, and of which type each is (qemu-server's config schema). */
import { INDEXED } from '../../gen/schema.js';

const BOOLEANS = new Set([
  'acpi',
  'allow-ksm',
  'autostart',
  'ciupgrade',
  'freeze',
  'keephugepages',
  'kvm',
  'localtime',
  'numa',
  'onboot',
  'protection',
  'reboot',
  'tablet',
  'tdf',
  'template',
]);

const INTEGERS = new Set([
  'balloon',
  'cores',
  'cpuunits',
  'migrate_speed',
  'shares',
  'smp',
  'snaptime',
  'sockets',
  'vcpus',
]);

const TEXTS = new Set([
  'affinity',
  'agent',
  'amd-sev',
  'arch',
  'args',
  'audio0',
  'bios',
  'boot',
  'bootdisk',
  'cdrom',
  'cicustom',
  'cipassword',
  'citype',
  'ciuser',
  'cpu',
  'cpulimit',
  'description',
  'efidisk0',
  'hookscript',
  'hotplug',
  'hugepages',
  'intel-tdx',
  'ivshmem',
  'keyboard',
  'lock',
  'machine',
  'memory',
  'meta',
  'migrate_downtime',
  'name',
  'nameserver',
  'ostype',
  'parent',
  'rng0',
  'running-nets-host-mtu',
  'runningcpu',
  'runningmachine',
  'scsihw',
  'searchdomain',
  'smbios1',
  'spice_enhancements',
  'sshkeys',
  'startdate',
  'startup',
  'tags',
  'tpmstate0',
  'vga',
  'vmgenid',
  'vmstate',
  'vmstatestorage',
  'watchdog',
]);

/** Numbered options of VMs and how many of each there are; certificates and cluster links are not of VMs. */
const NUMBERED: Readonly<Record<string, number>> = Object.fromEntries(
  Object.entries(INDEXED).filter(([name]) => name !== 'acmedomain' && name !== 'link'),
);

export const CLOUD_INIT_KEYS: ReadonlySet<string> = new Set([
  'cicustom',
  'cipassword',
  'citype',
  'ciupgrade',
  'ciuser',
  'nameserver',
  'searchdomain',
  'sshkeys',
]);

export function isCloudInitKey(key: string): boolean {
  return CLOUD_INIT_KEYS.has(key) || numbered(key)?.name === 'ipconfig';
}

export function numbered(key: string): { name: string; index: number } | undefined {
  const match = /^([a-z]+?)(0|[1-9]\d*)$/.exec(key);
  const limit = NUMBERED[match?.[1] ?? ''];
  const index = Number(match?.[2]);
  return match?.[1] && limit !== undefined && index < limit ? { name: match[1], index } : undefined;
}

export function isConfigKey(key: string): boolean {
  return TEXTS.has(key) || INTEGERS.has(key) || BOOLEANS.has(key) || numbered(key) !== undefined;
}

const DRIVES = new Set(['ide', 'scsi', 'virtio', 'sata']);

export function isDriveKey(key: string): boolean {
  return key === 'efidisk0' || key === 'tpmstate0' || DRIVES.has(numbered(key)?.name ?? '');
}

/** Firmware variables and TPM state: no disks of the guest. */
export function isFirmwareDrive(key: string): boolean {
  return key === 'efidisk0' || key === 'tpmstate0';
}

export function isUnusedKey(key: string): boolean {
  return numbered(key)?.name === 'unused';
}

export function isNetKey(key: string): boolean {
  return numbered(key)?.name === 'net';
}

/** In this order a VM's disks are looked at: for the boot disk, for snapshots. */
export const DRIVE_KEYS: readonly string[] = [
  ...['ide', 'scsi', 'virtio', 'sata'].flatMap((name) =>
    Array.from({ length: NUMBERED[name] ?? 0 }, (_, index) => `${name}${index}`),
  ),
  'efidisk0',
  'tpmstate0',
];

/** Integers and booleans are numbers in answers, everything else is text (`memory` too). */
export function typedValue(key: string, value: string): string | number {
  return (INTEGERS.has(key) || BOOLEANS.has(key)) && /^\d+$/.test(value) ? Number(value) : value;
}
