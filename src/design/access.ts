/**
 * The CSI driver's user and what it may do, for this cluster alone. The token has rights
 * of its own (privilege separation), so each right is given to the user and to the token: what counts is
 * what both have.
 *
 * The rights are those with which the driver can list, create, attach, resize and detach on Proxmox VE 9.2.
 * `Datastore.Allocate` is not among them: with it a token can delete any volume of the storage, a node's
 * data disk included.
 */
import type { Config } from '../config/config.js';
import { CSI_TOKEN, clusterTag, csiAccessNames } from '../formats/marks/cluster-names.js';
import { compareText } from '../model/natural-order.js';
import type { AccessDesign, DriveDesign } from './design.js';

const PRIVILEGES = ['Datastore.AllocateSpace', 'Datastore.Audit', 'VM.Audit', 'VM.Config.Disk'] as const;
/** The vmid that the driver puts into the names of volumes it makes itself. */
const DYNAMIC_VOLUMES_VMID = 9999;

export function hasCsi(config: Config): boolean {
  return config.kubernetes.csi !== undefined || csiVolumesOf(config).length > 0;
}

/** The driver is let at Talos VMs through their pool; data VMs are never in it. */
export function poolOf(config: Config): string | undefined {
  return config.proxmox.pool ?? (hasCsi(config) ? clusterTag(config.cluster) : undefined);
}

export function accessOf(config: Config, drives: readonly DriveDesign[]): readonly AccessDesign[] {
  const pool = poolOf(config);
  const pools: AccessDesign[] =
    pool === undefined ? [] : [{ kind: 'pool', id: pool, comment: `Talos VMs of ${config.cluster.name}` }];
  if (pool === undefined || !hasCsi(config)) return pools;

  const { role, deleteRole, user } = csiAccessNames(config.cluster);
  const storages = csiStorages(config);
  const deletable = deletableStorages(config, storages, drives);
  const vmids = new Set([DYNAMIC_VOLUMES_VMID, ...csiVolumesOf(config).map((volume) => volume.vmid)]);
  const grants = [
    { path: `/pool/${pool}`, role, propagate: true },
    ...storages.map((storage) => ({ path: `/storage/${storage}`, role, propagate: false })),
    ...deletable.map((storage) => ({ path: `/storage/${storage}`, role: deleteRole, propagate: false })),
    ...[...vmids].sort((a, b) => a - b).map((vmid) => ({ path: `/vms/${vmid}`, role, propagate: false })),
  ];
  return [
    ...pools,
    { kind: 'role', id: role, privileges: PRIVILEGES },
    ...(deletable.length === 0
      ? []
      : [{ kind: 'role', id: deleteRole, privileges: ['Datastore.Allocate'] } as const]),
    { kind: 'user', id: user, comment: `Proxmox CSI driver of ${config.cluster.name}` },
    { kind: 'token', user, id: CSI_TOKEN, privilegeSeparation: true },
    ...grants.flatMap((grant) =>
      (
        [
          { kind: 'user', id: user },
          { kind: 'token', id: `${user}!${CSI_TOKEN}` },
        ] as const
      ).map((subject) => ({ kind: 'acl', ...grant, subject }) as const),
    ),
  ];
}

export function csiVolumesOf(config: Config) {
  return config.volumes
    .filter((volume) => volume.type === 'proxmox-csi')
    .sort((a, b) => compareText(a.name, b.name));
}

function csiStorages(config: Config): readonly string[] {
  const storages = [
    ...csiVolumesOf(config).map((volume) => volume.storage),
    ...(config.kubernetes.csi?.storageClasses ?? []).map((storageClass) => storageClass.storage),
  ];
  return [...new Set(storages)].sort(compareText);
}

function deletableStorages(
  config: Config,
  storages: readonly string[],
  drives: readonly DriveDesign[],
): readonly string[] {
  const { csi } = config.kubernetes;
  if (csi?.delete !== true) return [];
  const ours = new Set(drives.map((drive) => drive.storage));
  return storages.filter((storage) => csi.acceptDeleteRisk || !ours.has(storage));
}
