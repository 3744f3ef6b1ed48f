/** A node as a box or as a sign, as closely as it is looked at. */
import { counted } from '../../model/count.js';
import { wholeGib } from '../../plan/capacity/usage.js';
import { type Box, type Dot, type Line, plain, small, title } from './layout.js';
import type { DrivePicture, HostPicture, NodePicture } from './picture.js';

export interface Closeness {
  /** `hosts`: each node is a sign. `nodes`: each is a box. `drives`: with all that belongs to it. */
  readonly detail: 'hosts' | 'nodes' | 'drives';
  /** How many hosts stand side by side; else as many as look well. */
  readonly columns?: number;
  /** How many nodes of one host stand side by side. */
  readonly nodeColumns?: number;
  /** Hosts and nodes can be opened. */
  readonly opens?: boolean;
  /** Nodes that just changed, to be pointed at. */
  readonly fresh?: ReadonlySet<string>;
}

/** Signs that say how a node is, with or without colours. */
export const HEALTH_SIGNS = { ok: '✓', note: '!', unknown: '?', failed: '✗' } as const;

function isDown({ state }: NodePicture): boolean {
  return state === 'stopped' || state === 'missing';
}

function signOf(node: NodePicture): string {
  if (isDown(node)) return '○';
  return node.health === undefined ? '' : HEALTH_SIGNS[node.health];
}

/** `20 nodes, 2 of them not healthy` */
export function nodeWords(nodes: readonly NodePicture[]): string {
  const bad = nodes.filter((node) => isDown(node) || node.health === 'failed' || node.health === 'unknown');
  return `${counted(nodes.length, 'node')}${bad.length === 0 ? '' : `, ${bad.length} of them not healthy`}`;
}

export function nodeDot(node: NodePicture, { fresh }: Closeness): Dot {
  const role = node.role === 'controlplane' ? 'C' : 'W';
  const sign = signOf(node);
  return {
    kind: `${kindOf(node)}${fresh?.has(node.name) ? ' fresh' : ''}`,
    sign: sign === '' || sign === '✓' ? role : sign,
  };
}

function stateWords({ state, health }: NodePicture): string {
  return [state, health].flatMap((word) => (word === undefined ? [] : [`, ${word}`])).join('');
}

function kindOf(node: NodePicture): string {
  const wrong = isDown(node) || node.health === 'failed' ? ' down' : '';
  const warned = node.health === 'note' || node.health === 'unknown' ? ' warned' : '';
  const changes = node.change !== undefined ? ' changes' : '';
  return `${node.role}${wrong}${warned}${changes}`;
}

export function nodeBox(node: NodePicture, close: Closeness): Box {
  const role = node.role === 'controlplane' ? 'control plane' : 'worker';
  const sign = signOf(node);
  const isWhole = close.detail === 'drives';
  const sizes = `${node.cpus} vCPU, ${wholeGib(node.memory)}`;
  return {
    kind: `${kindOf(node)}${close.fresh?.has(node.name) ? ' fresh' : ''}`,
    anchor: `node ${node.name}`,
    lines: [
      title(sign === '' ? node.name : `${sign} ${node.name}`),
      plain(
        `${role}, VM ${node.vmid}${node.state === undefined || node.state === 'running' ? '' : `, ${node.state}`}`,
      ),
      plain(isWhole ? `${sizes}, ${node.ip}` : sizes),
      ...(node.etcd === undefined ? [] : [small(`etcd ${node.etcd}`)]),
      ...planned(node),
      ...(isWhole ? wholeLines(node) : [small(driveSummary(node))]),
    ],
    ...(close.opens && {
      opens: { id: node.name, label: `node ${node.name}, ${role}${stateWords(node)}` },
    }),
    ...(isWhole && node.dataVm && { children: [dataBox(node.dataVm)] }),
  };
}

/** Where a node that moves will be. */
export function arrivalBox({ node, from }: HostPicture['arrivals'][number]): Box {
  return {
    kind: 'arrival',
    anchor: `arrival ${node}`,
    lines: [plain(node), small(`moves here from ${from}`)],
  };
}

function planned({ change, movesTo }: NodePicture): Line[] {
  if (movesTo !== undefined) return [small(`→ moves to ${movesTo}`)];
  if (change === undefined) return [];
  return [small(change === 'none' || change === 'live' ? '~ changes, live' : `↻ ${change} planned`)];
}

function wholeLines(node: NodePicture): Line[] {
  return [
    ...node.networks.map((network, index) => small(`net${index} on ${network}`)),
    ...node.devices.map((device) => small(`PCI passthrough → ${device}`)),
    ...node.ownDrives.map(driveLine),
  ];
}

function driveSummary({ ownDrives, dataVm }: NodePicture): string {
  const drives = [...ownDrives, ...(dataVm?.drives ?? [])];
  const size = drives.reduce((sum, drive) => sum + drive.size, 0);
  return `${drives.length} drives, ${wholeGib(size)}`;
}

function dataBox({ name, vmid, drives }: NonNullable<NodePicture['dataVm']>): Box {
  return {
    kind: 'data',
    lines: [plain(`${name}, VM ${vmid}`), small('owns the data:'), ...drives.map(driveLine)],
  };
}

/** A disk is called by the place where Talos mounts it. */
function driveLine(drive: DrivePicture): Line {
  const name =
    drive.kind === 'ephemeral' ? '/var' : drive.kind === 'volume' ? `/var/mnt/${drive.name}` : drive.name;
  return small(`${name} ${wholeGib(drive.size)} on ${drive.storage}`);
}
