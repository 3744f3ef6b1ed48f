/**
 * Room `design`: from a config to everything that should exist.
 * May touch: values alone: no file, no network, no clock.
 *
 * Config to design: everything that should exist. Pure; the same config gives the same bytes.
 */
import type { Config, NodeConfig } from '../config/config.js';
import { clusterTag, csiVolumeName } from '../formats/marks/cluster-names.js';
import { SECRETS_TO_COME } from '../formats/marks/secrets-note.js';
import { installerImage } from '../formats/talos/factory-urls.js';
import { formatVersion } from '../model/version.js';
import { accessOf, csiVolumesOf, poolOf } from './access.js';
import { backupJob } from './backup-job.js';
import type { CsiVolumeDesign, Design, ImageDesign, NodeDesign } from './design.js';
import { drivesOf } from './disks.js';
import { haOf } from './ha.js';
import type { HostMemory } from './host-loads.js';
import { distinctImages, imageFor, SchematicIds } from './images.js';
import { type ObservedHosts, placeNodes } from './placement.js';
import { requireUniqueIdentities } from './unique-identities.js';
import { dataVm, talosVm } from './vms.js';

/** What a design may take into account besides the file. */
interface DesignHints {
  /** Hosts on which VMs were found: automatic placement leaves them there. */
  readonly observedHosts?: ObservedHosts;
  /** What hosts really have for our VMs: automatic placement balances by it. */
  readonly hostMemory?: HostMemory;
  /** Fingerprint of the cluster's secrets, or what stands for it before there are any: noted on the VMs that own data. */
  readonly secrets?: string;
}

export function design(config: Config, hints: DesignHints = {}): Design {
  const { name, env } = config.cluster;
  const hosts = placeNodes(config, hints.observedHosts, hints.hostMemory);
  const schematicIds = new SchematicIds();
  const images: ImageDesign[] = [];
  const nodes: NodeDesign[] = [];
  for (const node of [...config.nodes].sort((a, b) => a.vmid - b.vmid)) {
    const host = hosts.get(node.vmid) ?? node.host;
    const image = imageFor(config, node, host, schematicIds.idOf(node.schematic));
    images.push(image);
    nodes.push(nodeDesign(config, node, image, hints.secrets));
  }
  requireUniqueIdentities(nodes);
  const pool = poolOf(config);
  return {
    cluster: {
      name,
      env,
      tag: clusterTag(config.cluster),
      ...(hints.secrets !== undefined && hints.secrets !== SECRETS_TO_COME && { secrets: hints.secrets }),
    },
    images: distinctImages(images),
    nodes,
    csiVolumes: csiVolumesOf(config).map((volume) => csiVolumeDesign(config.cluster, volume)),
    access: accessOf(
      config,
      nodes.flatMap((node) => node.drives),
    ),
    ...(pool !== undefined && { pool }),
    ...haOf(config, nodes),
    ...(config.backup && { backup: backupJob(config.backup, clusterTag(config.cluster), nodes) }),
  };
}

function nodeDesign(
  config: Config,
  node: NodeConfig,
  image: ImageDesign,
  secrets: string | undefined,
): NodeDesign {
  return {
    name: node.name,
    ...(node.group !== undefined && { group: node.group }),
    role: node.role,
    host: image.host,
    ip: node.ip,
    layout: node.layout,
    boot: node.boot,
    talosVersion: formatVersion(node.talosVersion),
    schematicId: image.schematicId,
    installer: installerImage({
      factory: config.talos.factory,
      platform: config.talos.platform,
      schematicId: image.schematicId,
      version: formatVersion(node.talosVersion),
    }),
    talosVm: talosVm(config, node, image, secrets),
    ...(node.layout === 'data-vm' && { dataVm: dataVm(config, node, image.host, secrets) }),
    drives: drivesOf(config, node, image.volid),
  };
}

function csiVolumeDesign(
  cluster: Config['cluster'],
  volume: ReturnType<typeof csiVolumesOf>[number],
): CsiVolumeDesign {
  return {
    name: volume.name,
    host: volume.host,
    storage: volume.storage,
    vmid: volume.vmid,
    volumeName: csiVolumeName(cluster, volume.vmid, volume.name),
    format: volume.format,
    size: volume.size,
  };
}
