/** PersistentVolumes of the `proxmox-csi` volumes: always kept, and only where their disk is. */
import type { Config } from '../../config/config.js';
import type { CsiVolume } from '../../config/volume-config.js';
import { csiVolumesOf } from '../access.js';
import type { CsiVolumeDesign } from '../design.js';
import type { KubeObject } from './managed-object.js';
import { quantity } from './quantity.js';

export const CSI_DRIVER = 'csi.proxmox.sinextra.dev';
const REGION = 'topology.kubernetes.io/region';
const ZONE = 'topology.kubernetes.io/zone';

/** What Proxmox says of the place of a volume. */
export interface StoragePlace {
  readonly shared: boolean;
  readonly type: string;
  /** Hosts that see a shared storage, where not all do. */
  readonly onlyOn?: readonly string[];
}

/** Storages that keep volumes as files, and so in the format of a file. */
export const FILE_STORAGES: readonly string[] = ['dir', 'nfs', 'cifs', 'cephfs', 'btrfs'];

/**
 * `region/zone/storage/disk` as proxmox-csi-plugin v0.19.1 reads it: no zone where every host sees the storage, and
 * file storages keep the disk in a folder with the format as its ending.
 */
export function volumeHandle(region: string, volume: CsiVolumeDesign, place: StoragePlace): string {
  const disk = FILE_STORAGES.includes(place.type)
    ? `${volume.vmid}/${volume.volumeName}.${volume.format}`
    : volume.volumeName;
  return [region, place.shared ? '' : volume.host, volume.storage, disk].join('/');
}

/** `size`: of the disk, in bytes. */
export function persistentVolume(
  config: Config,
  volume: CsiVolumeDesign,
  place: StoragePlace,
  size: number,
): KubeObject {
  const { filesystem, storageClass, backup } = settingsOf(config, volume.name);
  const region = config.proxmox.cluster;
  const zones = place.shared ? place.onlyOn : [volume.host];
  const where = [
    { key: REGION, operator: 'In', values: [region] },
    ...(zones ? [{ key: ZONE, operator: 'In', values: zones }] : []),
  ];
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: volume.name },
    spec: {
      capacity: { storage: quantity(size) },
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Filesystem',
      persistentVolumeReclaimPolicy: 'Retain',
      storageClassName: storageClass,
      mountOptions: ['noatime'],
      csi: {
        driver: CSI_DRIVER,
        fsType: filesystem,
        volumeHandle: volumeHandle(region, volume, place),
        volumeAttributes: {
          ...(backup && { backup: 'true' }),
          cache: 'writethrough',
          ssd: 'true',
          storage: volume.storage,
        },
      },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: where }] } },
    },
  };
}

function settingsOf(config: Config, name: string): Pick<CsiVolume, 'filesystem' | 'storageClass' | 'backup'> {
  const volume = csiVolumesOf(config).find((candidate) => candidate.name === name);
  return volume ?? { filesystem: 'ext4', storageClass: 'proxmox-csi', backup: false };
}
