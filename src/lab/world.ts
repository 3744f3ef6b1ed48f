/** What a new lab consists of, and how it becomes records. */
import type { Random } from './lab.js';
import type {
  BridgeRecord,
  ContainerRecord,
  HostRecord,
  PveDb,
  StorageRecord,
  VolumeRecord,
} from './proxmox/db.js';

export interface LabWorld {
  readonly hosts: readonly WorldHost[];
  readonly storages: readonly StorageRecord[];
  readonly pciMappings?: readonly { readonly id: string; readonly map: readonly string[] }[];
  readonly cpuModels?: readonly string[];
  readonly volumes?: readonly VolumeRecord[];
  readonly containers?: readonly ContainerRecord[];
  readonly rootEmail?: string;
  readonly clusterName?: string;
}

export interface WorldHost {
  readonly name: string;
  readonly cpus?: number;
  /** Bytes. */
  readonly memory?: number;
  readonly bridges?: readonly BridgeRecord[];
  readonly pci?: HostRecord['pci'];
  /** Of its Proxmox VE. */
  readonly version?: string;
}

const GIB = 1024 ** 3;

/** Storages of a fresh installation on ZFS, with room. */
export const DEFAULT_STORAGES: readonly StorageRecord[] = [
  {
    id: 'local',
    type: 'dir',
    path: '/var/lib/vz',
    content: ['iso', 'vztmpl', 'backup', 'snippets', 'import'],
    shared: false,
    nodes: [],
    total: 500 * GIB,
  },
  {
    id: 'local-zfs',
    type: 'zfspool',
    pool: 'rpool/data',
    sparse: true,
    content: ['images', 'rootdir'],
    shared: false,
    nodes: [],
    total: 4_000 * GIB,
  },
];

/** What a small server has: a host bridge, a graphics chip, a network card, a disk controller. */
export const DEFAULT_PCI: HostRecord['pci'] = [
  { id: '0000:00:00.0', vendor: '0x8086', device: '0x3e30', class: '0x060000', iommugroup: 0 },
  { id: '0000:00:02.0', vendor: '0x8086', device: '0x3e98', class: '0x030000', iommugroup: 1 },
  { id: '0000:00:1f.6', vendor: '0x8086', device: '0x15bb', class: '0x020000', iommugroup: 2 },
  { id: '0000:01:00.0', vendor: '0x144d', device: '0xa808', class: '0x010802', iommugroup: 3 },
];

/** `vmbr0` of the n-th host, in a network of the hosts' own. */
export function defaultBridge(index: number, iface = 'vmbr0'): BridgeRecord {
  const address = `10.99.0.${index + 1}`;
  return { iface, address, netmask: '24', cidr: `${address}/24`, ports: '' };
}

/** The world that a config names: `--lab` on an empty state builds it. */
export function worldFor(named: {
  readonly hosts: readonly string[];
  readonly storages: readonly {
    readonly id: string;
    readonly type?: StorageRecord['type'];
    readonly content?: readonly string[];
    readonly shared?: boolean;
  }[];
  readonly bridges: readonly { readonly iface: string; readonly mtu?: number }[];
  readonly pciMappings: readonly string[];
  readonly cpuModels: readonly string[];
}): LabWorld {
  const storages = new Map(DEFAULT_STORAGES.map((storage) => [storage.id, storage]));
  for (const storage of named.storages) {
    const known = storages.get(storage.id);
    const content = new Set([...(known?.content ?? []), ...(storage.content ?? ['images', 'rootdir'])]);
    const type = known?.type ?? storage.type ?? 'zfspool';
    storages.set(storage.id, {
      id: storage.id,
      type,
      ...(type === 'zfspool' ? { pool: known?.pool ?? storage.id, sparse: true } : {}),
      ...(type === 'dir' ? { path: known?.path ?? `/var/lib/${storage.id}` } : {}),
      content: [...content],
      shared: storage.shared ?? known?.shared ?? false,
      nodes: known?.nodes ?? [],
      total: known?.total ?? 4_000 * GIB,
    });
  }
  const first = named.bridges.find(({ iface }) => iface === 'vmbr0') ?? { iface: 'vmbr0' };
  const bridges = [first, ...named.bridges.filter(({ iface }) => iface !== 'vmbr0')];
  return {
    hosts: named.hosts.map((name, index) => ({
      name,
      bridges: bridges.map((bridge, number) => ({
        ...(number === 0 ? defaultBridge(index, bridge.iface) : { ports: '' }),
        ...bridge,
      })),
      pci: named.pciMappings.map((_, number) => labPciDevice(number)),
    })),
    storages: [...storages.values()],
    pciMappings: named.pciMappings.map((id, number) => ({
      id,
      map: named.hosts.map((host) => pciMap(host, labPciDevice(number))),
    })),
    cpuModels: named.cpuModels,
  };
}

/** Every mapping gets a device of its own on every host. */
export function labPciDevice(number: number): HostRecord['pci'][number] {
  const bus = (number + 1).toString(16).padStart(2, '0');
  return {
    id: `0000:${bus}:00.0`,
    vendor: '0x10de',
    device: '0x1234',
    class: '0x030000',
    iommugroup: number + 10,
  };
}

export function pciMap(host: string, device: HostRecord['pci'][number]): string {
  const id = `${device.vendor.slice(2)}:${device.device.slice(2)}`;
  return `node=${host},path=${device.id},id=${id},iommugroup=${device.iommugroup}`;
}

/** Only an empty state is filled: what a lab once was, it stays. */
export function buildWorld(db: PveDb, world: LabWorld, random: Random): void {
  if (db.hosts.size > 0) return;
  for (const [index, host] of world.hosts.entries()) {
    db.hosts.put(host.name, {
      name: host.name,
      cpus: host.cpus ?? 16,
      memory: host.memory ?? 128 * GIB,
      bridges: [...(host.bridges ?? [defaultBridge(index)])],
      pci: [...(host.pci ?? [])],
      ...(host.version !== undefined && { version: host.version }),
    });
  }
  for (const storage of world.storages) db.storages.put(storage.id, storage);
  for (const { id, map } of world.pciMappings ?? []) db.pciMappings.put(id, { id, map: [...map] });
  for (const model of world.cpuModels ?? []) {
    const id = model.replace(/^custom-/, '');
    db.cpuModels.put(id, { id });
  }
  for (const container of world.containers ?? []) db.containers.put(String(container.vmid), container);
  for (const volume of world.volumes ?? []) {
    const shared = db.storages.get(volume.storage)?.shared === true;
    const place = `${volume.storage}:${volume.path}`;
    db.volumes.put(shared ? place : `${volume.host}/${place}`, volume);
  }
  db.users.put('root@pam', {
    id: 'root@pam',
    enable: true,
    expire: 0,
    groups: [],
    ...(world.rootEmail === undefined ? {} : { email: world.rootEmail }),
  });
  db.settings.put('cluster-name', world.clusterName ?? 'lab');
  db.settings.put('seed', random.hex(16));
}
