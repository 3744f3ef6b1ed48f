/** Which privilege each option of a VM needs (qemu-server `check_vm_modify_config_perm` and its siblings). */
import { parseNet, parsePropertyString } from '../../../../formats/proxmox/property-string.js';
import { PveError } from '../../api.js';
import type { Caller } from '../../http/request.js';
import { isCloudInit, isPlainCdrom, parseDrive } from '../disks/drives.js';
import { CLOUD_INIT_KEYS, isDriveKey, isNetKey, numbered } from './config-keys.js';
import type { Config } from './vm-config.js';

/** A VM that is being made may get its rights from the pool it shall be in. */
export interface VmPlace {
  readonly vmid: number;
  readonly pool?: string | undefined;
}

export function requireOnVm(caller: Caller, vm: VmPlace, privileges: string[], any = false): void {
  if (vm.pool !== undefined && caller.allows(`/pool/${vm.pool}`, privileges, { any })) return;
  caller.require(`/vms/${vm.vmid}`, privileges, { any });
}

const CLASSES: Readonly<Record<string, readonly string[]>> = {
  'VM.Config.CPU': ['cores', 'cpu', 'runningcpu', 'cpulimit', 'cpuunits', 'numa', 'smp', 'sockets', 'vcpus'],
  'VM.Config.Memory': ['memory', 'balloon', 'shares', 'allow-ksm'],
  'VM.Config.HWType': [
    'acpi',
    'audio0',
    'hotplug',
    'kvm',
    'machine',
    'rng0',
    'runningmachine',
    'scsihw',
    'smbios1',
    'tablet',
    'vga',
    'watchdog',
  ],
  'VM.Config.Options': [
    'agent',
    'autostart',
    'bios',
    'description',
    'keyboard',
    'localtime',
    'migrate_downtime',
    'migrate_speed',
    'name',
    'onboot',
    'ostype',
    'protection',
    'reboot',
    'startdate',
    'startup',
    'tdf',
    'template',
  ],
  'VM.PowerMgmt': ['freeze'],
  'VM.Config.Disk': ['boot', 'bootdisk', 'vmstatestorage'],
  'VM.Config.Network': ['running-nets-host-mtu'],
};

const CLASS_OF = new Map(
  Object.entries(CLASSES).flatMap(([privilege, keys]) =>
    keys.map((key): [string, string] => [key, privilege]),
  ),
);

/** Disks, devices and tags are looked at where their value is known. */
const BY_VALUE = new Set(['unused', 'serial', 'usb', 'hostpci', 'virtiofs']);

export function requireForKeys(caller: Caller, vm: VmPlace, keys: readonly string[]): void {
  if (caller.who.isRoot) return;
  for (const key of [...keys].sort()) {
    const kind = numbered(key)?.name ?? '';
    if (isDriveKey(key) || key === 'cdrom' || key === 'tags' || BY_VALUE.has(kind)) continue;
    const privilege =
      kind === 'numa' ? 'VM.Config.CPU' : kind === 'net' ? 'VM.Config.Network' : CLASS_OF.get(key);
    if (privilege) {
      requireOnVm(caller, vm, [privilege]);
      // The order in which a host starts its guests is the host's business.
      if (key === 'startup') caller.require('/', ['Sys.Modify']);
    } else if (CLOUD_INIT_KEYS.has(key) || kind === 'ipconfig') {
      requireOnVm(caller, vm, ['VM.Config.Cloudinit', 'VM.Config.Network'], true);
    } else if (key === 'vmstate') {
      requireOnVm(caller, vm, ['VM.Config.Disk', 'VM.PowerMgmt']);
    } else {
      throw new PveError(500, `only root can set '${key}' config`);
    }
  }
}

export function requireForDrive(caller: Caller, vm: VmPlace, line: string): void {
  const drive = parseDrive(line);
  if (isCloudInit(drive)) requireOnVm(caller, vm, ['VM.Config.Cloudinit', 'VM.Config.CDROM']);
  else if (isPlainCdrom(drive)) requireOnVm(caller, vm, ['VM.Config.CDROM']);
  else requireOnVm(caller, vm, ['VM.Config.Disk']);
}

/** `usbN`, `hostpciN`, `rng0`, `virtiofsN`; other keys need nothing here. */
export function requireForDevice(caller: Caller, vm: VmPlace, key: string, value: string): void {
  if (caller.who.isRoot) return;
  const kind = numbered(key)?.name;
  if (kind === 'hostpci') {
    const device = parsePropertyString(value, 'host');
    if (device.host) throw new PveError(500, `only root can set '${key}' config for non-mapped devices`);
    requireMapping(caller, 'pci', device.mapping);
    requireOnVm(caller, vm, ['VM.Config.HWType']);
    if (device.romfile !== undefined) {
      throw PveError.parameter({ [key]: "only root@pam can set 'romfile' option" });
    }
  } else if (kind === 'usb') {
    requireOnVm(caller, vm, ['VM.Config.HWType']);
    const device = parsePropertyString(value, 'host');
    if (/^spice$/i.test(device.host ?? '')) return;
    if (device.host) throw new PveError(500, `only root can set '${key}' config for real devices`);
    requireMapping(caller, 'usb', device.mapping);
  } else if (key === 'rng0') {
    requireOnVm(caller, vm, ['VM.Config.HWType']);
    if (parsePropertyString(value, 'source').source === '/dev/hwrng') {
      caller.require('/mapping/hwrng', ['Mapping.Use']);
    }
  } else if (kind === 'virtiofs') {
    requireOnVm(caller, vm, ['VM.Config.Disk']);
    caller.require(`/mapping/dir/${parsePropertyString(value, 'dirid').dirid}`, ['Mapping.Use']);
  }
}

function requireMapping(caller: Caller, kind: string, mapping: string | undefined): void {
  if (mapping === undefined) throw new PveError(500, "either 'host' or 'mapping' must be set.");
  caller.require(`/mapping/${kind}/${mapping}`, ['Mapping.Use']);
}

export function requireForSerials(caller: Caller, vm: VmPlace, config: Config): void {
  if (caller.who.isRoot) return;
  for (const [key, value] of Object.entries(config)) {
    if (numbered(key)?.name !== 'serial') continue;
    if (value !== 'socket') throw new PveError(500, `only root can set '${key}' config for real devices`);
    requireOnVm(caller, vm, ['VM.Config.HWType']);
  }
}

/** A bridge is used by whoever has SDN.Use on it, or on the VLAN asked for. */
export function requireForBridges(caller: Caller, config: Config): void {
  if (caller.who.isRoot) return;
  for (const key of Object.keys(config).filter(isNetKey).sort()) {
    const line = config[key];
    if (!line) continue;
    const { bridge, tag, trunks } = parseNet(line).options;
    if (bridge === undefined) continue;
    const zone = `/sdn/zones/localnetwork/${bridge}`;
    const vlans = [...(tag === undefined ? [] : [tag]), ...vlansOf(trunks ?? '')];
    if (vlans.length === 0) caller.require(zone, ['SDN.Use']);
    for (const vlan of vlans) caller.require(`${zone}/${vlan}`, ['SDN.Use']);
  }
}

function vlansOf(trunks: string): string[] {
  return trunks.split(';').flatMap((part) => {
    const [from, to] = part.split('-').map(Number);
    if (!from) return [];
    return Array.from({ length: (to ?? from) - from + 1 }, (_, step) => String(from + step));
  });
}

/** Only a change to another custom model needs the right to it. */
export function requireForCpu(caller: Caller, cpu: string | undefined, before?: string): void {
  const model = (value: string | undefined) => parsePropertyString((value ?? '').trim(), 'cputype').cputype;
  const wanted = model(cpu);
  if (wanted === undefined || wanted === model(before)) return;
  if (wanted.startsWith('custom-')) caller.require(`/mapping/cpu/${wanted.slice(7)}`, ['Mapping.Use']);
}

/** Free-form tags are allowed to whoever may change options. */
export function requireForTags(caller: Caller, vm: VmPlace): void {
  requireOnVm(caller, { vmid: vm.vmid }, ['VM.Config.Options']);
}
