/** A VM's machine: switched on with what the config says, switched off, and what the guests do by themselves. */
import { parseNet, parsePropertyString } from '../../../../formats/proxmox/property-string.js';
import { type Pve, PveError } from '../../api.js';
import type { VmRecord, VolumeRecord } from '../../db.js';
import type { Caller } from '../../http/request.js';
import type { Log } from '../../storage/allocate.js';
import { locate } from '../../storage/storages.js';
import { splitVolumeId } from '../../storage/volume-name.js';
import { qemuOf } from '../../version.js';
import { findVolume } from '../../volumes.js';
import { hasCloudInitDrive } from '../cloudinit/cloudinit-changes.js';
import { applyPending } from '../config/apply-pending.js';
import { isNetKey, isUnusedKey, numbered } from '../config/config-keys.js';
import { hasBridge, netProblem } from '../config/hotplug-net.js';
import type { Config } from '../config/vm-config.js';
import { drivesOf, isCdrom, parseDrive, printDrive, withSize } from '../disks/drives.js';
import { loadVm, saveRunState, saveVm } from '../vms.js';

/** A ZFS volume that is not there keeps the start waiting for its device, five minutes in a task. */
export function missingZvol(pve: Pick<Pve, 'db'>, vm: VmRecord): string | undefined {
  for (const { drive } of drivesOf(vm.config)) {
    if (!splitVolumeId(drive.file) || findVolume(pve.db, vm.host, drive.file)) continue;
    const { storage, volume } = locate(pve, drive.file);
    if (storage.type === 'zfspool') return volume.name;
  }
  return undefined;
}

/** Everything QEMU needs must be there; what the config names is only looked for now. */
function assertHardware(pve: Pve, vm: VmRecord, log: Log): void {
  for (const { drive } of drivesOf(vm.config)) {
    if (splitVolumeId(drive.file) && !findVolume(pve.db, vm.host, drive.file)) {
      throw new PveError(500, `volume '${drive.file}' does not exist`);
    }
  }
  for (const key of Object.keys(vm.config).sort()) {
    if (numbered(key)?.name === 'hostpci') assertPciDevice(pve, vm, vm.config[key] ?? '', log);
  }
  const host = pve.db.hosts.get(vm.host);
  const cpus = Number(vm.config.sockets ?? 1) * Number(vm.config.cores ?? 1);
  if (host && cpus > host.cpus) throw new PveError(500, `MAX ${host.cpus} vcpus allowed per VM on this node`);
  for (const key of Object.keys(vm.config).filter(isNetKey).sort()) {
    const net = parseNet(vm.config[key] ?? '');
    const { bridge } = net.options;
    if (bridge === undefined || hasBridge(pve, vm.host, bridge)) {
      const tooLarge = netProblem(pve, vm.host, net);
      if (tooLarge !== undefined) throw new PveError(500, tooLarge);
      continue;
    }
    // For these QEMU is told the bridge's MTU, so Proxmox looks at it first.
    if (net.model === 'virtio') throw new PveError(500, `bridge '${bridge}' does not exist`);
    log(`bridge '${bridge}' does not exist`);
    log(
      `kvm: -netdev type=tap,id=${key},ifname=tap${vm.vmid}i${numbered(key)?.index},script=/usr/libexec/qemu-server/pve-bridge: network script /usr/libexec/qemu-server/pve-bridge failed with status 512`,
    );
    throw new PveError(500, 'start failed: QEMU exited with code 1');
  }
}

/** Recording node-hardware: a mapping is looked up at start, on this node, and its device must be there. */
function assertPciDevice(pve: Pve, vm: VmRecord, value: string, log: Log): void {
  const { host: address, mapping } = parsePropertyString(value, 'host');
  const known = pve.db.hosts.get(vm.host)?.pci ?? [];
  const fail = (message: string) => {
    log(message.replace(/\n$/, ''));
    return new PveError(500, message);
  };
  if (mapping === undefined) {
    const addresses = (address ?? '').split(';').map((id) => (/^\w{4}:/.test(id) ? id : `0000:${id}`));
    const lost = addresses.find((id) => !known.some((device) => device.id.startsWith(id)));
    if (lost !== undefined) throw fail(`no PCI device found for '${lost}'`);
    return;
  }
  const paths = (pve.db.pciMappings.get(mapping)?.map ?? [])
    .map((line) => parsePropertyString(line))
    .filter((device) => device.node === vm.host)
    .map((device) => device.path ?? '');
  if (paths.length === 0) throw fail(`PCI device mapping not found for '${mapping}'`);
  for (const path of paths.flatMap((list) => list.split(';'))) {
    if (known.some((device) => device.id.startsWith(path))) continue;
    throw fail(`PCI device mapping invalid (hardware probably changed): pci device '${path}' not found\n\n`);
  }
}

/**
 * qemu-server `vm_start_nolock`. Pending changes apply, unless a saved state is resumed; the machine sees the disks
 * as large as they are now.
 */
export function powerOn(
  caller: Caller,
  vmid: number,
  host: string,
  log: Log,
  { resume = false, machine }: { resume?: boolean; machine?: string | undefined } = {},
): void {
  const { pve } = caller;
  const loaded = loadVm(pve, host, vmid);
  let vm = resume ? loaded : applyPending(caller, loaded).vm;
  if (hasCloudInitDrive(vm)) {
    log('generating cloud-init ISO');
    if (vm.cloudinit) {
      delete vm.cloudinit;
      vm = saveVm(pve, vm);
    }
  }
  assertHardware(pve, vm, log);
  const isHardware = (key: string) => !isUnusedKey(key) && key !== 'vmstate' && key !== 'lock';
  const hardware = Object.entries(vm.config).filter(([key]) => isHardware(key));
  const config: Config = Object.fromEntries(hardware);
  if (machine !== undefined) config.machine = machine;
  for (const { key, drive } of drivesOf(config)) {
    const volume = isCdrom(drive) ? undefined : findVolume(pve.db, host, drive.file);
    if (volume) config[key] = printDrive(withSize(drive, volume.size));
  }
  const pid = 10_000 + pve.core.random.below(4_000_000);
  const own = pve.db.hosts.get(host);
  const running = { config, since: pve.core.clock.now(), pid, ...(own?.version && { qemu: qemuOf(own) }) };
  saveRunState(pve, vmid, { running, rebootRequested: false });
  pve.machines?.powerOn(vmid);
}

/** What a start says of network devices without a bridge. */
export function unattachedNets({ vmid, config }: VmRecord): string[] {
  return Object.keys(config)
    .filter((key) => isNetKey(key) && parseNet(config[key] ?? '').options.bridge === undefined)
    .sort()
    .map((key) => `Interface 'tap${vmid}i${numbered(key)?.index}' not attached to any bridge.`);
}

/** The process is gone. */
function processEnded(pve: Pve, vmid: number): void {
  saveRunState(pve, vmid, { running: undefined, rebootRequested: false });
}

/** Pulls the plug. */
export function powerOff(pve: Pve, vmid: number): void {
  if (!pve.db.vms.get(String(vmid))?.running) return;
  processEnded(pve, vmid);
  pve.machines?.powerOff(vmid);
}

/** For the guests: this machine has switched itself off. An API reboot then starts it again, as root@pam. */
export function guestStopped(pve: Pve, vmid: number): void {
  const vm = pve.db.vms.get(String(vmid));
  if (!vm?.running) return;
  processEnded(pve, vmid);
  if (!vm.rebootRequested) return;
  pve.tasks.start(
    { user: 'root@pam' },
    { node: vm.host, type: 'qmstart', id: String(vmid), args: { host: vm.host, vmid }, duration: 1_500 },
  );
}

interface RunningDrive {
  readonly slot: string;
  readonly volid: string;
  readonly cdrom: boolean;
  readonly wwn?: string;
  readonly serial?: string;
  /** As the guest sees it. */
  readonly size: number;
  readonly volume: VolumeRecord;
}

/** For the guests: the drives of the running machine, by slot; empty trays and a stopped VM have none. */
export function runningDrives(pve: Pick<Pve, 'db'>, vmid: number): Map<string, RunningDrive> {
  const vm = pve.db.vms.get(String(vmid));
  const drives = new Map<string, RunningDrive>();
  for (const [slot, line] of Object.entries(vm?.running ? runningLines(vm.running.config) : {})) {
    const drive = parseDrive(line);
    const volume = vm && findVolume(pve.db, vm.host, drive.file);
    if (!volume) continue;
    const { wwn, serial } = drive.options;
    drives.set(slot, {
      slot,
      volid: drive.file,
      cdrom: isCdrom(drive),
      ...(wwn === undefined ? {} : { wwn }),
      ...(serial === undefined ? {} : { serial }),
      size: drive.size ?? volume.size,
      volume,
    });
  }
  return drives;
}

function runningLines(config: Config): Config {
  return Object.fromEntries(drivesOf(config).map(({ key }) => [key, config[key] ?? '']));
}
