import type { StorageRecord, VolumeRecord } from '../proxmox/db.js';
import { DEFAULT_STORAGES, defaultBridge, type LabWorld } from '../world.js';

const MIB = 1024 ** 2;

const VMDATA: StorageRecord = {
  id: 'vmdata',
  type: 'dir',
  path: '/var/lib/vmdata',
  content: ['images', 'rootdir'],
  shared: false,
  nodes: [],
  total: 500 * 1024 * MIB,
};

function file(
  path: string,
  content: VolumeRecord['content'],
  format: string,
  size: number,
  used: number,
): VolumeRecord {
  return {
    host: 'pve1',
    storage: 'local',
    path,
    content,
    format,
    size,
    used,
    ctime: 0,
    data: {},
    snapshots: {},
  };
}

const FILES = [
  file('import/talos.qcow2', 'import', 'qcow2', 64 * MIB, 196_616),
  file('import/talos.raw', 'import', 'raw', 64 * MIB, 0),
  file('iso/talos.iso', 'iso', 'iso', 1_000_000, 1_000_000),
];

/** The state that the recorded exchanges start from. */
export const recordings: LabWorld = {
  hosts: [{ name: 'pve1', cpus: 16, bridges: [defaultBridge(0)] }],
  storages: [...DEFAULT_STORAGES, VMDATA],
  volumes: FILES,
  rootEmail: 'root@lab',
};

/** The cluster of the later recordings: two such hosts, with an HA manager. */
export const recordingsMore: LabWorld = {
  ...recordings,
  hosts: ['pve1', 'pve2'].map((name, index) => ({ name, cpus: 16, bridges: [defaultBridge(index)] })),
  volumes: ['pve1', 'pve2'].flatMap((host) => FILES.map((volume) => ({ ...volume, host }))),
  clusterName: 'realt',
};
