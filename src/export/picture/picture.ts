/** What a picture shows, before it is text or SVG: hosts, what lives on them, and the data it owns. */

import type { Config } from '../../config/config.js';
import type { Design, NodeDesign } from '../../design/design.js';
import { parseNet } from '../../formats/proxmox/property-string.js';
import { formatCidr } from '../../model/address.js';
import { compareText } from '../../model/natural-order.js';
import { formatVersion } from '../../model/version.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { type Failover, failovers } from '../../plan/capacity/failover.js';
import { type CapacityUser, type HostCapacity, hostCapacities } from '../../plan/capacity/usage.js';
import { listVolumes, type VolumeRow } from '../../plan/drives/volume-list.js';
import { IMPACTS, type Impact } from '../../plan/impact.js';
import type { Step } from '../../plan/steps.js';

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
  readonly csiVolumes: readonly CsiPicture[];
  /** Volumes of ours that no machine uses: kept after their node or their entry in oxherd.yaml went. */
  readonly parked: readonly ParkedVolume[];
  /** Nodes that the plan moves here. */
  readonly arrivals: readonly { readonly node: string; readonly from: string }[];
  /** Only of what is there. */
  readonly online?: boolean;
  /** What happens when it fails; absent where there is no other host. */
  readonly failover?: Failover;
}

interface CsiPicture {
  readonly name: string;
  readonly size: number;
  readonly storage: string;
  /** Node whose VM it is attached to. */
  readonly node?: string;
}

interface ParkedVolume {
  readonly name: string;
  readonly state: VolumeRow['state'];
  readonly size: number;
  readonly volid: string;
}

/** How a node is, as a reading of its health says. */
interface NodeFacts {
  readonly health: 'ok' | 'note' | 'unknown' | 'failed';
  readonly etcd?: 'leader' | 'member' | 'learner';
}

interface PictureFacts {
  readonly nodes?: ReadonlyMap<string, NodeFacts>;
  /** Of the plan: what would change, and what would move. */
  readonly steps?: readonly Step[];
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
  readonly health?: NodeFacts['health'];
  readonly etcd?: NonNullable<NodeFacts['etcd']>;
  /** The most disruptive thing that the plan does to it. */
  readonly change?: Impact;
  readonly movesTo?: string;
}

export interface DrivePicture {
  readonly name: string;
  readonly kind: NodeDesign['drives'][number]['kind'];
  readonly size: number;
  readonly storage: string;
}

const UNUSED: ReadonlySet<VolumeRow['state']> = new Set(['parked', 'unused', 'orphan', 'no-identity']);

/** With `observed`: of what is there; with `facts`: how it is, and what a plan would do to it. */
export function pictureOf(
  config: Config,
  design: Design,
  observed?: Observed,
  facts: PictureFacts = {},
): Picture {
  const { cluster, network } = config;
  const rows = observed ? listVolumes(design, observed) : [];
  const vms = new Map(config.nodes.map((node) => [node.name, node.vm]));
  const place = (node: NodeDesign) => (observed && visibleVm(observed, node.talosVm.vmid))?.host ?? node.host;
  const byHost = new Map<string, NodeDesign[]>();
  for (const node of design.nodes) {
    const host = byHost.get(place(node));
    if (host) host.push(node);
    else byHost.set(place(node), [node]);
  }
  const capacities = hostCapacities(config, design, observed);
  const lost = new Map(failovers(capacities).map((failover) => [failover.host, failover]));
  const planned = plannedChanges(facts.steps ?? []);
  const arrivalsAt = (host: string) =>
    design.nodes.flatMap((node) =>
      planned.get(node.name)?.movesTo === host ? [{ node: node.name, from: place(node) }] : [],
    );
  const drawn = (node: NodeDesign): NodePicture => ({
    ...nodeOf(node, vms.get(node.name), observed),
    ...facts.nodes?.get(node.name),
    ...planned.get(node.name),
  });
  return {
    cluster: cluster.env === '' ? cluster.name : `${cluster.name} (${cluster.env})`,
    versions: `Talos ${formatVersion(config.talos.version)}, Kubernetes ${formatVersion(cluster.kubernetes)}`,
    ...(cluster.vip !== undefined && { vip: cluster.vip }),
    network: `${formatCidr(network.subnet)}, gateway ${network.gateway}`,
    hosts: capacities.map((capacity): HostPicture => {
      const failover = lost.get(capacity.name);
      const online = observed?.hosts[capacity.name]?.online;
      return {
        name: capacity.name,
        capacity,
        reservations: capacity.users.filter((user) => user.kind === 'reservation'),
        others: capacity.users.filter((user) => user.kind === 'other'),
        nodes: (byHost.get(capacity.name) ?? [])
          .sort((a, b) => compareText(a.role, b.role) || a.talosVm.vmid - b.talosVm.vmid)
          .map(drawn),
        csiVolumes: csiVolumesOf(capacity.name, design, rows),
        parked: parkedOn(capacity.name, rows),
        arrivals: arrivalsAt(capacity.name),
        ...(online !== undefined && { online }),
        ...(failover && { failover }),
      };
    }),
  };
}

function csiVolumesOf(host: string, { csiVolumes }: Design, rows: readonly VolumeRow[]): CsiPicture[] {
  return csiVolumes
    .filter((volume) => volume.host === host)
    .map(({ name, size, storage }) => {
      const node = rows.find((row) => row.kind === 'csi' && row.name === name)?.node;
      return { name, size, storage, ...(node !== undefined && { node }) };
    });
}

function parkedOn(host: string, rows: readonly VolumeRow[]): ParkedVolume[] {
  return rows
    .filter((row) => row.host === host && UNUSED.has(row.state))
    .map(({ name, state, size = 0, volid = '' }) => ({ name, state, size, volid }));
}

/** The most disruptive step of each node, and where its VM goes. */
function plannedChanges(steps: readonly Step[]): Map<string, Pick<NodePicture, 'change' | 'movesTo'>> {
  const found = new Map<string, Pick<NodePicture, 'change' | 'movesTo'>>();
  for (const step of steps) {
    if (step.node === undefined || step.action === 'wait') continue;
    const before = found.get(step.node);
    const change =
      before?.change !== undefined && IMPACTS.indexOf(before.change) > IMPACTS.indexOf(step.impact)
        ? before.change
        : step.impact;
    found.set(step.node, { ...before, change, ...(step.kind === 'migrate-vm' && { movesTo: step.host }) });
  }
  return found;
}

function nodeOf(
  node: NodeDesign,
  vm: Config['nodes'][number]['vm'] | undefined,
  observed?: Observed,
): NodePicture {
  const { options } = node.talosVm;
  const state = observed && (visibleVm(observed, node.talosVm.vmid)?.status ?? 'missing');
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
