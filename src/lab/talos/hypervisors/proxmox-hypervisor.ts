import { parseNet, parsePropertyString } from '../../../formats/proxmox/property-string.js';
import { MIB } from '../../../model/size.js';
import type { Pve } from '../../proxmox/api.js';
import type { PveDb, VmRecord, VolumeRecord } from '../../proxmox/db.js';
import { parseBootOrder } from '../../proxmox/qemu/config/boot-order.js';
import { drivesOf, isCdrom, isCloudInit } from '../../proxmox/qemu/disks/drives.js';
import { guestStopped, runningDrives } from '../../proxmox/qemu/power/machine.js';
import { type PlacedVolume, placeVolume, writeVolume } from '../../proxmox/volumes.js';
import type { CloudInit, CloudInitLink, Drive, Hardware, Hypervisor, Nic } from './hypervisor.js';

/** The Proxmox simulator as a machine sees it. `pve` is there once the simulator has started. */
export function proxmoxHypervisor(db: PveDb, pve: () => Pve | undefined): Hypervisor {
  const known: Known = { made: new WeakMap(), users: new Map() };
  return {
    running: () => [...db.vms.values()].filter((vm) => vm.running).map((vm) => vm.vmid),
    hardware(vmid) {
      const vm = db.vms.get(String(vmid));
      return vm?.running ? readHardware(db, known, vm, vm.running.config) : undefined;
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
    watch(listener) {
      db.vms.watch((vmid) => listener(Number(vmid)));
      db.volumes.watch((key) => {
        for (const vmid of known.users.get(key) ?? []) listener(vmid);
      });
      db.hosts.watch(() => listener(undefined));
      db.storages.watch(() => listener(undefined));
    },
  };
}

type Config = VmRecord['config'];

/** What a config says by itself; records are replaced, never changed, so the same object says the same. */
interface ReadConfig {
  readonly drives: readonly { readonly key: string; readonly drive: ParsedDrive }[];
  readonly nets: readonly Nic[];
  readonly fixed: Omit<Hardware, 'drives' | 'nics'>;
}

type ParsedDrive = ReturnType<typeof drivesOf>[number]['drive'];

const read = new WeakMap<Config, ReadConfig>();

/** What was made of a config last, and the records that it was made of: nothing is made again of the same. */
interface Made {
  readonly host: string;
  readonly bridges: unknown;
  readonly volumes: readonly PlacedVolume[];
  readonly hardware: Hardware;
}

/** What one hypervisor has made. */
interface Known {
  readonly made: WeakMap<Config, Made>;
  /** By the key of a volume: machines whose hardware was made with it, or with its absence. */
  readonly users: Map<string, Set<number>>;
}

function readHardware(db: PveDb, { made, users }: Known, vm: VmRecord, config: Config): Hardware {
  const last = made.get(config);
  if (last && isCurrent(db, vm, last)) return last.hardware;
  const known = read.get(config) ?? readConfig(vm, config);
  read.set(config, known);
  const volumes = known.drives.map(({ drive }) => placeVolume(db, vm.host, drive.file));
  for (const { key } of volumes)
    if (key !== undefined) users.set(key, (users.get(key) ?? new Set()).add(vm.vmid));
  const records = volumes.map(({ volume }) => volume);
  const hardware = assemble(db, vm, known, records);
  made.set(config, { host: vm.host, bridges: db.hosts.get(vm.host), volumes, hardware });
  return hardware;
}

/** Asked for at every turn, of every machine: nothing is parsed, no text is made. */
function isCurrent(db: PveDb, { host }: VmRecord, last: Made): boolean {
  return (
    last.host === host &&
    last.bridges === db.hosts.get(host) &&
    last.volumes.every(
      ({ storageId, storage, key, volume }) =>
        db.storages.get(storageId) === storage && (key === undefined || db.volumes.get(key) === volume),
    )
  );
}

function assemble(
  db: PveDb,
  vm: VmRecord,
  known: ReadConfig,
  volumes: readonly (VolumeRecord | undefined)[],
): Hardware {
  const drives = known.drives.flatMap(({ key, drive }, index): Drive[] => {
    const volume = volumes[index];
    if (!volume) return [];
    const { wwn, ssd, ro } = drive.options;
    return [
      {
        slot: key,
        cdrom: isCdrom(drive),
        size: drive.size ?? volume.size,
        ...(wwn === undefined ? {} : { wwn }),
        ssd: ssd === '1',
        readonly: ro === '1',
        content: volume.data,
      },
    ];
  });
  return { ...known.fixed, nics: onHost(db, vm, known.nets), drives };
}

function readConfig(vm: VmRecord, config: Config): ReadConfig {
  const all = drivesOf(config);
  const cloudInit = readCloudInit(
    config,
    all.map(({ drive }) => drive),
  );
  return {
    // The cloud-init drive is a CD-ROM: sr0 of a real machine.
    drives: all.filter(({ key }) => key !== 'efidisk0' && key !== 'tpmstate0'),
    nets: readNets(config),
    fixed: {
      vmid: vm.vmid,
      name: config.name ?? `VM ${vm.vmid}`,
      uuid: parsePropertyString(config.smbios1 ?? '').uuid ?? '',
      cores: Number(config.sockets ?? 1) * Number(config.cores ?? 1),
      memory: Number(parsePropertyString(config.memory ?? '512', 'current').current) * MIB,
      firmware: config.bios === 'ovmf' ? 'uefi' : 'bios',
      scsiController: config.scsihw ?? 'lsi',
      boot: parseBootOrder(config.boot),
      ...(cloudInit ? { cloudInit } : {}),
    },
  };
}

function readNets(config: Config): Nic[] {
  return netKeys(config).map((key) => {
    const net = parseNet(config[key] ?? '');
    // `mtu=1` takes the bridge's.
    const mtu = Number(net.options.mtu ?? 0);
    return { mac: net.mac ?? '', bridge: net.options.bridge ?? '', ...(mtu > 1 ? { mtu } : {}) };
  });
}

function netKeys(config: Config): string[] {
  return Object.keys(config)
    .filter((key) => /^net\d+$/.test(key))
    .sort((a, b) => Number(a.slice(3)) - Number(b.slice(3)));
}

/** The network behind a bridge is the host's, and hosts may differ. */
function onHost(db: PveDb, vm: VmRecord, nets: ReadConfig['nets']): Nic[] {
  const bridges = db.hosts.get(vm.host)?.bridges ?? [];
  return nets.map((net) => {
    const subnet = bridges.find((one) => one.iface === net.bridge)?.cidr;
    return { ...net, ...(subnet === undefined ? {} : { subnet }) };
  });
}

/** Without a cloud-init drive no one tells the guest anything. */
function readCloudInit(config: Config, drives: readonly ParsedDrive[]): CloudInit | undefined {
  if (!drives.some(isCloudInit)) return undefined;
  const links = netKeys(config).flatMap((key, nic): CloudInitLink[] => {
    const { ip, gw } = parsePropertyString(config[`ipconfig${key.slice('net'.length)}`] ?? '');
    return ip === undefined ? [] : [{ nic, address: ip, ...(gw === undefined ? {} : { gateway: gw }) }];
  });
  return { links, ...(config.name === undefined ? {} : { hostname: config.name }) };
}
