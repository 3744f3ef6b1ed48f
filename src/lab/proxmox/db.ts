/** The tables of the Proxmox simulator. Records are plain JSON and replaced, never changed in place. */

import type { VolumeContent } from '../lab.js';
import type { Store, Table } from '../store.js';
import type { RealmRecord } from './access/realms.js';
import type { AcmeAccount } from './acme/accounts.js';
import type { BackupArchive } from './backup/archive.js';
import type { BackupJob } from './backup/jobs.js';
import type { ReplicationJob } from './cluster/replication.js';
import type { FirewallRecord } from './firewall/records.js';
import type { HaManager, HaResource, HaRule, HaService } from './ha/state.js';
import type { HostNetwork } from './nodes/interfaces.js';
import type { Config } from './qemu/config/vm-config.js';
import type { SdnObject } from './sdn/objects.js';
import type { Settings } from './section-config.js';
import type { StorageType } from './storage/types.js';

export interface PveDb {
  readonly hosts: Table<HostRecord>;
  readonly storages: Table<StorageRecord>;
  /** Key `storage:path`; for a storage that is not shared `host/storage:path`. */
  readonly volumes: Table<VolumeRecord>;
  /** Key: the vmid. */
  readonly vms: Table<VmRecord>;
  /** Key: the UPID. */
  readonly tasks: Table<TaskRecord>;
  readonly users: Table<UserRecord>;
  readonly groups: Table<{ id: string; comment?: string }>;
  /** Key: its name; `pam` and `pve` only where they were changed. */
  readonly realms: Table<RealmRecord>;
  readonly realmSyncJobs: Table<Settings>;
  readonly roles: Table<{ id: string; privs: string[]; special?: boolean }>;
  /** Key `user!token`. */
  readonly tokens: Table<TokenRecord>;
  /** Key `path type ugid role`. */
  readonly acls: Table<AclRecord>;
  readonly pools: Table<{ id: string; comment?: string; vms: number[]; storages: string[] }>;
  readonly pciMappings: Table<{
    id: string;
    description?: string;
    mdev?: number;
    'live-migration-capable'?: number;
    map: string[];
  }>;
  /** Key `usb/ID` or `dir/ID`. */
  readonly otherMappings: Table<{ id: string; description?: string; map: string[] }>;
  readonly cpuModels: Table<{ id: string }>;
  /** Key: `vm:100`. */
  readonly haResources: Table<HaResource>;
  readonly haRules: Table<HaRule>;
  readonly haServices: Table<HaService>;
  readonly haManager: Table<HaManager>;
  /** Key: `cluster`, `host/NAME`, `vm/ID`. */
  readonly firewalls: Table<FirewallRecord>;
  readonly backupJobs: Table<BackupJob>;
  readonly replicationJobs: Table<ReplicationJob>;
  /** Key: the vmid. */
  readonly containers: Table<ContainerRecord>;
  readonly metricServers: Table<Settings>;
  readonly acmeAccounts: Table<AcmeAccount>;
  readonly acmePlugins: Table<Settings>;
  /** Key: the host. */
  readonly networks: Table<HostNetwork>;
  /** Key: `zones/NAME`, `vnets/NAME`, … */
  readonly sdn: Table<SdnObject>;
  readonly settings: Table<unknown>;
}

export interface HostRecord {
  name: string;
  cpus: number;
  memory: number;
  bridges: BridgeRecord[];
  pci: { id: string; vendor: string; device: string; class: string; iommugroup: number }[];
  /** Of its Proxmox VE, such as `8.4.1`; absent: that of the recordings. */
  version?: string;
}

export interface BridgeRecord {
  iface: string;
  address?: string;
  netmask?: string;
  cidr?: string;
  ports: string;
  /** Absent: the kernel's own, 1500. */
  mtu?: number;
}

export interface StorageRecord {
  id: string;
  type: StorageType;
  content: string[];
  path?: string;
  /** The pool of ZFS and Ceph, the volume group of LVM. */
  pool?: string;
  sparse?: boolean;
  shared: boolean;
  disable?: boolean;
  /** What its type has beyond the above, as it was given. */
  options?: Record<string, string | number>;
  /** Hosts that have it; empty: all. */
  nodes: string[];
  total: number;
}

export interface VolumeRecord {
  host: string;
  storage: string;
  /** Below the storage: `100/vm-100-disk-0.raw`, `vm-100-disk-0`, `iso/talos.iso`, `import/talos.qcow2`. */
  path: string;
  content: 'images' | 'rootdir' | 'iso' | 'import' | 'vztmpl' | 'backup' | 'snippets';
  format: string;
  /** Virtual size in bytes. */
  size: number;
  used: number;
  /** The VM its name says it belongs to. */
  owner?: number;
  parent?: string;
  ctime: number;
  data: VolumeContent;
  /** Snapshots of the volume itself, by name. */
  snapshots: Record<string, { size: number; data: VolumeContent }>;
  notes?: string;
  protected?: boolean;
  /** Of a backup on PBS: what its verification came to. */
  verification?: { state: 'ok' | 'failed'; upid: string };
  /** Of a backup: what a restore brings back. */
  archive?: BackupArchive;
  /** Of a downloaded file: a download of the same file is done at once. */
  sha256?: string;
}

export interface VmRecord {
  vmid: number;
  host: string;
  /** As the config file has it: key → text. */
  config: Record<string, string>;
  /** Changes that wait for the next start; `delete` lists keys to go, `!key` with the volume destroyed. */
  pending: { set: Record<string, string>; delete: string[] };
  /** What the running machine was started with; absent when stopped. */
  running?: {
    config: Record<string, string>;
    since: number;
    pid: number;
    /** That it was started with, on a host with a version of its own; a live migration keeps it. */
    qemu?: string;
    paused?: boolean;
    /** The task that has asked the guest to shut down, and when. */
    shutdown?: { upid: string; at: number };
  };
  snapshots: Record<string, SnapshotRecord>;
  /** Mirrors the config's `template: 1`. */
  template: boolean;
  /** What the cloud-init drive was last made with, where the config has moved on since; `added` lists new keys. */
  cloudinit?: Record<string, string>;
  /** The task that holds its lock file for as long as it runs (a migration). */
  lockHolder?: string;
  /** An API reboot was asked for: when the guest is down, the VM is started again. */
  rebootRequested?: boolean;
}

/** A container; oxherd makes none. */
export interface ContainerRecord {
  vmid: number;
  host: string;
  running: boolean;
  /** `rootfs`, `mp0`, `hostname`, … */
  config: Record<string, string>;
  pending?: Record<string, string>;
  /** Keys that go with the next start. */
  pendingDelete?: string[];
  /** When it was started, in milliseconds. */
  since?: number;
  /** Snapshot → its config. */
  snapshots?: Record<string, Record<string, string>>;
}

export interface SnapshotRecord {
  name: string;
  parent?: string;
  description?: string;
  time: number;
  vmstate: boolean;
  config: Record<string, string>;
}

export interface TaskRecord {
  upid: string;
  node: string;
  pid: number;
  pstart: number;
  starttime: number;
  type: string;
  id: string;
  user: string;
  tokenid?: string;
  /** Absent while it runs. */
  exitstatus?: string;
  endtime?: number;
  log: string[];
  /** What its work is given; gone once it has ended. */
  args?: unknown;
  /** The event that will carry it out; absent once it has ended, and for one that hangs. */
  event?: string;
  warnings?: number;
}

export interface UserRecord {
  id: string;
  enable: boolean;
  expire: number;
  comment?: string;
  email?: string;
  firstname?: string;
  lastname?: string;
  keys?: string;
  groups: string[];
  /** Salted hash, for realm pve. */
  password?: string;
}

export interface TokenRecord {
  user: string;
  id: string;
  /** Hash of the secret; the secret itself is shown once and stored nowhere. */
  secret: string;
  privsep: boolean;
  expire: number;
  comment?: string;
}

export interface AclRecord {
  path: string;
  type: 'user' | 'group' | 'token';
  ugid: string;
  roleid: string;
  propagate: boolean;
}

const opened = new WeakMap<Store, PveDb>();

/** One per store: what is remembered about a table, such as who owns which volume, is remembered once. */
export function openPveDb(store: Store): PveDb {
  const known = opened.get(store);
  if (known) return known;
  const db: PveDb = {
    hosts: store.table('pve/hosts'),
    storages: store.table('pve/storages'),
    volumes: store.table('pve/volumes'),
    vms: store.table('pve/vms'),
    tasks: store.table('pve/tasks'),
    users: store.table('pve/users'),
    groups: store.table('pve/groups'),
    realms: store.table('pve/realms'),
    realmSyncJobs: store.table('pve/realm-sync-jobs'),
    roles: store.table('pve/roles'),
    tokens: store.table('pve/tokens'),
    acls: store.table('pve/acls'),
    pools: store.table('pve/pools'),
    pciMappings: store.table('pve/pci-mappings'),
    otherMappings: store.table('pve/other-mappings'),
    cpuModels: store.table('pve/cpu-models'),
    haResources: store.table('pve/ha-resources'),
    haRules: store.table('pve/ha-rules'),
    haServices: store.table('pve/ha-services'),
    haManager: store.table('pve/ha-manager'),
    firewalls: store.table('pve/firewalls'),
    backupJobs: store.table('pve/backup-jobs'),
    replicationJobs: store.table('pve/replication-jobs'),
    containers: store.table('pve/containers'),
    metricServers: store.table('pve/metric-servers'),
    acmeAccounts: store.table('pve/acme-accounts'),
    acmePlugins: store.table('pve/acme-plugins'),
    networks: store.table('pve/networks'),
    sdn: store.table('pve/sdn'),
    settings: store.table('pve/settings'),
  };
  opened.set(store, db);
  return db;
}

export function newVm(host: string, vmid: number, config: Config): VmRecord {
  return { vmid, host, config, pending: { set: {}, delete: [] }, snapshots: {}, template: false };
}
