import { parseNet, parsePropertyString } from '../../formats/property-string.js';
import { MIB } from '../../model/size.js';
import type { Pve } from '../proxmox/api.js';
import type { PveDb, VmRecord } from '../proxmox/db.js';
import { parseBootOrder } from '../proxmox/qemu/boot-order.js';
import { drivesOf, isCloudInit } from '../proxmox/qemu/drives.js';
import { guestStopped, runningDrives } from '../proxmox/qemu/machine.js';
import { writeVolume } from '../proxmox/volumes.js';
import type { CloudInit, Drive, Hardware, Hypervisor, Nic } from './hypervisor.js';

/** The Proxmox simulator as a machine sees it. `pve` is there once the simulator has started. */
export function proxmoxHypervisor(db: PveDb, pve: () => Pve | undefined): Hypervisor {
  return {
    running: () => [...db.vms.values()].filter((vm) => vm.running).map((vm) => vm.vmid),
    hardware(vmid) {
      const vm = db.vms.get(String(vmid));
      return vm?.running ? readHardware(db, vm, vm.running.config) : undefined;
    },
    write(vmid, slot, change) {
      const vm = db.vms.get(String(vmid));
      const drive = runningDrives({ db }, vmid).get(slot);
      if (vm && drive) writeVolume({ db }, vm.host, drive.volid, change(drive.volume.data));
    },
    stopped(vmid) {
      const running = pve();
      if (running) guestStopped(running, vmid);
    },
  };
}

type Config = VmRecord['config'];

function readHardware(db: PveDb, vm: VmRecord, config: Config): Hardware {
  const lines = new Map(drivesOf(config).map(({ key, drive }) => [key, drive]));
  const drives: Drive[] = [...runningDrives({ db }, vm.vmid).values()]
    .filter(({ slot }) => slot !== 'efidisk0' && slot !== 'tpmstate0')
    .filter(({ slot }) => {
      const line = lines.get(slot);
      return line === undefined || !isCloudInit(line);
    })
    .map((drive) => ({
      slot: drive.slot,
      cdrom: drive.cdrom,
      size: drive.size,
      ...(drive.wwn === undefined ? {} : { wwn: drive.wwn }),
      ssd: lines.get(drive.slot)?.options.ssd === '1',
      readonly: lines.get(drive.slot)?.options.ro === '1',
      content: drive.volume.data,
    }));
  const cloudInit = readCloudInit(config, lines);
  return {
    vmid: vm.vmid,
    name: config.name ?? `VM ${vm.vmid}`,
    uuid: parsePropertyString(config.smbios1 ?? '').uuid ?? '',
    cores: Number(config.sockets ?? 1) * Number(config.cores ?? 1),
    memory: Number(parsePropertyString(config.memory ?? '512', 'current').current) * MIB,
    scsiController: config.scsihw ?? 'lsi',
    boot: parseBootOrder(config.boot),
    nics: readNics(db, vm, config),
    drives,
    ...(cloudInit ? { cloudInit } : {}),
  };
}

function readNics(db: PveDb, vm: VmRecord, config: Config): Nic[] {
  const bridges = db.hosts.get(vm.host)?.bridges ?? [];
  return Object.keys(config)
    .filter((key) => /^net\d+$/.test(key))
    .sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)))
    .map((key) => {
      const net = parseNet(config[key] ?? '');
      const bridge = net.options.bridge ?? '';
      const subnet = bridges.find((one) => one.iface === bridge)?.cidr;
      return { mac: net.mac ?? '', bridge, ...(subnet === undefined ? {} : { subnet }) };
    });
}

/** Without a cloud-init drive nobody tells the guest anything. */
function readCloudInit(
  config: Config,
  drives: ReadonlyMap<string, Parameters<typeof isCloudInit>[0]>,
): CloudInit | undefined {
  if (![...drives.values()].some(isCloudInit)) return undefined;
  const { ip, gw } = parsePropertyString(config.ipconfig0 ?? '');
  return {
    ...(ip === undefined ? {} : { address: ip }),
    ...(gw === undefined ? {} : { gateway: gw }),
    ...(config.name === undefined ? {} : { hostname: config.name }),
  };
}
