/** What a picture shows, before it is text or SVG: hosts, what lives on them, and the data it owns. */
import type { Config } from '../../config/config.js';
import type { Design, NodeDesign } from '../../design/design.js';
import { parseNet } from '../../formats/proxmox/property-string.js';
import { formatCidr } from '../../model/address.js';
import { formatVersion } from '../../model/version.js';
import type { Observed } from '../../observe/observed.js';
import { type CapacityUser, type HostCapacity, hostCapacities } from '../../plan/capacity/usage.js';

export interface Picture {
  readonly cluster: string;
  readonly versions: string;
  readonly vip?: string;
  readonly network: string;
  readonly hosts: readonly HostPicture[];
}

export interface HostPicture {
  readonly name: string;
  readonly capacity: HostCapacity;
  readonly reservations: readonly CapacityUser[];
  readonly others: readonly CapacityUser[];
  readonly nodes: readonly NodePicture[];
  readonly csiVolumes: readonly { readonly name: string; readonly size: number; readonly storage: string }[];
}

export interface NodePicture {
  readonly name: string;
  readonly role: NodeDesign['role'];
  readonly vmid: number;
  readonly cpus: number;
  readonly memory: number;
  readonly ip: string;
  /** `vmbr0`, `vmbr0.7` */
  readonly networks: readonly string[];
  /** Drives of the VM that can be made again. */
  readonly ownDrives: readonly DrivePicture[];
  /** The VM that owns the data. */
  readonly dataVm?: {
    readonly vmid: number;
    readonly name: string;
    readonly drives: readonly DrivePicture[];
  };
  readonly devices: readonly string[];
  /** Only of what is there: `running`, `stopped`, `missing`. */
  readonly state?: string;
}

export interface DrivePicture {
  readonly name: string;
  readonly kind: NodeDesign['drives'][number]['kind'];
  readonly size: number;
  readonly storage: string;
}

/** With `observed`: of what is there. */
export function pictureOf(config: Config, design: Design, observed?: Observed): Picture {
  const { cluster, network } = config;
  return {
    cluster: cluster.env === '' ? cluster.name : `${cluster.name} (${cluster.env})`,
    versions: `Talos ${formatVersion(config.talos.version)}, Kubernetes ${formatVersion(cluster.kubernetes)}`,
    ...(cluster.vip !== undefined && { vip: cluster.vip }),
    network: `${formatCidr(network.subnet)}, gateway ${network.gateway}`,
    hosts: hostCapacities(config, design, observed).map((capacity) =>
      hostOf(capacity, config, design, observed),
    ),
  };
}

function hostOf(capacity: HostCapacity, config: Config, design: Design, observed?: Observed): HostPicture {
  const place = (node: NodeDesign) => observed?.vms[node.talosVm.vmid]?.host ?? node.host;
  return {
    name: capacity.name,
    capacity,
    reservations: capacity.users.filter((user) => user.kind === 'reservation'),
    others: capacity.users.filter((user) => user.kind === 'other'),
    nodes: design.nodes
      .filter((node) => place(node) === capacity.name)
      .sort((a, b) => a.role.localeCompare(b.role, 'en') || a.talosVm.vmid - b.talosVm.vmid)
      .map((node) => nodeOf(node, config, observed)),
    csiVolumes: design.csiVolumes.filter((volume) => volume.host === capacity.name),
  };
}

function nodeOf(node: NodeDesign, config: Config, observed?: Observed): NodePicture {
  const vm = config.nodes.find((each) => each.name === node.name)?.vm;
  const { options } = node.talosVm;
  const state = observed && (observed.vms[node.talosVm.vmid]?.status ?? 'missing');
  return {
    name: node.name,
    role: node.role,
    vmid: node.talosVm.vmid,
    cpus: vm ? vm.cores * vm.sockets : 0,
    memory: vm?.memory ?? 0,
    ip: node.ip,
    networks: Object.keys(options)
      .filter((key) => /^net\d+$/.test(key))
      .map((key) => {
        const { bridge = '?', tag } = parseNet(String(options[key])).options;
        return tag === undefined ? bridge : `${bridge}, VLAN ${tag}`;
      }),
    ownDrives: node.drives.filter((drive) => drive.owner === node.talosVm.vmid),
    ...(node.dataVm && {
      dataVm: {
        vmid: node.dataVm.vmid,
        name: node.dataVm.name,
        drives: node.drives.filter((drive) => drive.owner === node.dataVm?.vmid),
      },
    }),
    devices: Object.keys(options)
      .filter((key) => /^hostpci\d+$/.test(key))
      .map((key) => /(?:^|,)mapping=([^,]+)/.exec(String(options[key]))?.[1] ?? key),
    ...(state !== undefined && { state }),
  };
}
