/** A picture as boxes: hosts with what lives on them, as closely as it is looked at. The map and `oxherd graph` share it. */
import { failoverWords } from '../../plan/capacity/failover.js';
import { wholeGib } from '../../plan/capacity/usage.js';
import type { Box, Dot, Line } from './boxes.js';
import type { DrivePicture, HostPicture, NodePicture, Picture } from './picture.js';

export interface Closeness {
  /** `hosts`: each node is a sign. `nodes`: each is a box. `drives`: with all that belongs to it. */
  readonly detail: 'hosts' | 'nodes' | 'drives';
  /** How many hosts stand side by side; else as many as look well. */
  readonly columns?: number;
  /** How many nodes of one host stand side by side. */
  readonly nodeColumns?: number;
  /** Hosts and nodes can be opened. */
  readonly opens?: boolean;
}

/** With more nodes than this on one host, each is a sign until the host is opened. */
const MOST_BOXES = 12;

export function clusterBox(picture: Picture, close: Closeness = { detail: 'drives' }): Box {
  const controlPlanes = picture.hosts
    .flatMap((host) => host.nodes)
    .filter((node) => node.role === 'controlplane')
    .map((node) => node.name);
  const shown =
    controlPlanes.length > 5 ? `${controlPlanes.length} control planes` : controlPlanes.join(', ');
  return {
    kind: 'cluster',
    lines: [
      title(picture.cluster),
      plain(picture.versions),
      ...(picture.vip === undefined ? [] : [plain(`VIP ${picture.vip} → ${shown}`)]),
      faint(`network ${picture.network}`),
    ],
    columns: close.columns ?? hostColumns(picture.hosts.length),
    children: picture.hosts.map((host) => hostBox(host, picture.hosts.length, close)),
  };
}

/** The hosts alone, without what is said of the cluster: a page says that around them. */
export function hostsBox(hosts: readonly HostPicture[], close: Closeness): Box {
  return {
    kind: 'bare',
    lines: [],
    columns: close.columns ?? hostColumns(hosts.length),
    children: hosts.map((host) => hostBox(host, hosts.length, close)),
  };
}

function hostColumns(hosts: number): number {
  return hosts <= 4 ? Math.max(1, hosts) : Math.ceil(Math.sqrt(hosts));
}

function hostBox(host: HostPicture, hosts: number, close: Closeness): Box {
  const { capacity, online, failover } = host;
  const sizes = [
    ...(capacity.cpus === undefined ? [] : [`${capacity.cpus} vCPU`]),
    ...(capacity.memory === undefined ? [] : [`${wholeGib(capacity.memory)} RAM`]),
  ];
  const isSmall = close.detail === 'hosts';
  const product = isSmall ? '' : 'Proxmox VE, ';
  const state = online === false ? '✗ ' : '';
  const offline = online === false ? [plain('offline')] : [];
  return {
    kind: `host${online === false ? ' down' : ''}`,
    lines: [
      title(`${state}${host.name}`),
      ...offline,
      faint(sizes.length > 0 ? `${product}${sizes.join(', ')}` : 'Proxmox VE'),
      ...(failover ? failoverLines(failover, isSmall) : []),
    ],
    bars: usageBars(host),
    ...(isSmall && { dots: host.nodes.map(nodeDot) }),
    ...(close.opens && {
      opens: { id: host.name, label: `host ${host.name}, ${host.nodes.length} nodes` },
    }),
    children: isSmall ? [] : hostChildren(host, hosts, close),
  };
}

function failoverLines(failover: NonNullable<HostPicture['failover']>, isSmall: boolean): Line[] {
  const { etcd, room, isBad } = failoverWords(failover);
  const sign = isBad ? '✗' : '✓';
  if (isSmall || !isBad) return [small(`${sign} N-1${isBad ? '' : ': quorum kept, its nodes fit'}`)];
  return [small(`${sign} N-1: ${etcd}`), small(`      ${room}`)];
}

function hostChildren(host: HostPicture, hosts: number, close: Closeness): Box[] {
  const others = [...host.reservations, ...host.others].map(
    (user): Box => ({
      kind: 'reserved',
      lines: [
        title(user.name),
        plain(
          `${user.title}: ${user.cpus} vCPU, ${wholeGib(user.memory)}${user.address === '' ? '' : `, ${user.address}`}`,
        ),
        ...(user.passthrough === undefined ? [] : [small(`PCI passthrough → ${user.passthrough}`)]),
      ],
    }),
  );
  const isCrowded = close.detail === 'nodes' && host.nodes.length > MOST_BOXES;
  const nodes = isCrowded ? [] : host.nodes.map((node) => nodeBox(node, close));
  return [
    group('reserved, never touched', others),
    group('cluster nodes', nodes, close.nodeColumns ?? nodeColumns(nodes.length, hosts)),
    ...(isCrowded
      ? [{ kind: 'group', lines: [small(`${host.nodes.length} nodes`)], dots: host.nodes.map(nodeDot) }]
      : []),
    ...csiBox(host),
    ...parkedBox(host),
  ].filter((box) => (box.children ?? []).length + box.lines.length > 0);
}

function group(name: string, children: readonly Box[], columns = 1): Box {
  return children.length === 0
    ? { kind: 'group', lines: [] }
    : { kind: 'group', lines: [small(name)], children, columns };
}

/** The more hosts stand side by side, the narrower each. */
function nodeColumns(nodes: number, hosts: number): number {
  return Math.max(1, Math.ceil(Math.sqrt(nodes / hostColumns(hosts))));
}

function usageBars({ capacity }: HostPicture) {
  const used = (key: 'cpus' | 'memory') => capacity.users.reduce((sum, user) => sum + user[key], 0);
  return [
    ...(capacity.cpus ? [{ label: 'vCPU', share: used('cpus') / capacity.cpus }] : []),
    ...(capacity.memory ? [{ label: 'RAM', share: used('memory') / capacity.memory }] : []),
    ...capacity.storages.flatMap(({ name, used: taken, ours, total }) =>
      total ? [{ label: name, share: (taken ?? ours) / total }] : [],
    ),
  ];
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

function nodeDot(node: NodePicture): Dot {
  const role = node.role === 'controlplane' ? 'C' : 'W';
  const sign = signOf(node);
  return {
    kind: kindOf(node),
    sign: sign === '' || sign === '✓' ? role : sign,
    title: `${node.name}, VM ${node.vmid}${stateWords(node)}`,
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

function nodeBox(node: NodePicture, close: Closeness): Box {
  const role = node.role === 'controlplane' ? 'control plane' : 'worker';
  const sign = signOf(node);
  const isWhole = close.detail === 'drives';
  const sizes = `${node.cpus} vCPU, ${wholeGib(node.memory)}`;
  return {
    kind: kindOf(node),
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

function csiBox({ csiVolumes }: HostPicture): Box[] {
  if (csiVolumes.length === 0) return [];
  const lines = csiVolumes.map(({ name, size, storage, node }) =>
    small(`${name} ${wholeGib(size)} on ${storage}${node === undefined ? '' : ` → ${node}`}`),
  );
  return [{ kind: 'data', lines: [plain('CSI volumes'), ...lines] }];
}

/** Kept data that nothing uses: what it would free. */
function parkedBox({ parked }: HostPicture): Box[] {
  if (parked.length === 0) return [];
  const size = parked.reduce((sum, volume) => sum + volume.size, 0);
  const lines = parked.map((volume) => small(`${volume.name} ${wholeGib(volume.size)}, ${volume.state}`));
  return [{ kind: 'parked', lines: [plain(`Parked volumes, ${wholeGib(size)} reclaimable`), ...lines] }];
}

/** What colours and signs mean. */
export function legendBox(): Box {
  const kinds = [
    ['controlplane', 'control plane'],
    ['worker', 'worker'],
    ['data', 'data that outlives its VM'],
    ['parked', 'parked volumes'],
    ['reserved', 'reserved, never touched'],
  ] as const;
  return {
    kind: 'legend',
    lines: [small('✓ healthy   ! note   ? unknown   ✗ failed   ○ stopped or missing')],
    columns: kinds.length,
    children: kinds.map(([kind, name]) => ({ kind: `sample ${kind}`, lines: [small(name)] })),
  };
}

const title = (text: string): Line => ({ text, style: 'title' });
const plain = (text: string): Line => ({ text, style: 'plain' });
const faint = (text: string): Line => ({ text, style: 'faint' });
const small = (text: string): Line => ({ text, style: 'small' });
