/** A picture as boxes: hosts with what lives on them, as closely as it is looked at. The map and `oxherd graph` share it. */
import { failoverWords } from '../../plan/capacity/failover.js';
import { wholeGib } from '../../plan/capacity/usage.js';
import type { Move } from './arrows.js';
import { type Box, faint, type Line, plain, small, title } from './layout.js';
import { arrivalBox, type Closeness, nodeBox, nodeDot, nodeWords } from './node-boxes.js';
import type { HostPicture, Picture } from './picture.js';

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

const known = new WeakMap<HostPicture, Map<string, Box>>();

/** A host that is the same as before is the same box, and drawn no second time. */
function hostBox(host: HostPicture, hosts: number, close: Closeness): Box {
  if (host.nodes.some(({ name }) => close.fresh?.has(name))) return newHostBox(host, hosts, close);
  const { detail, nodeColumns = 0, opens = false } = close;
  const key = detail === 'hosts' ? `${detail} ${opens}` : `${detail} ${opens} ${nodeColumns} ${hosts}`;
  const boxes = known.get(host) ?? new Map<string, Box>();
  known.set(host, boxes);
  const box = boxes.get(key) ?? newHostBox(host, hosts, close);
  boxes.set(key, box);
  return box;
}

function newHostBox(host: HostPicture, hosts: number, close: Closeness): Box {
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
    kind: `host${online === false ? ' down' : ''}${isSmall && isFresh(host, close) ? ' fresh' : ''}`,
    anchor: `host ${host.name}`,
    lines: [
      title(`${state}${host.name}`),
      ...offline,
      faint(sizes.length > 0 ? `${product}${sizes.join(', ')}` : 'Proxmox VE'),
      ...(failover ? failoverLines(failover, isSmall) : []),
    ],
    bars: usageBars(host),
    ...(isSmall && { dots: host.nodes.map((node) => nodeDot(node, close)) }),
    ...(close.opens && {
      opens: { id: host.name, label: `host ${host.name}, ${nodeWords(host.nodes)}` },
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
      ? [
          {
            kind: 'group',
            lines: [small(`${host.nodes.length} nodes`)],
            dots: host.nodes.map((node) => nodeDot(node, close)),
          },
        ]
      : []),
    // One below the other, so that each is reached from both sides.
    group('planned', host.arrivals.map(arrivalBox), 1),
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

function isFresh({ nodes }: HostPicture, { fresh }: Closeness): boolean {
  return nodes.some(({ name }) => fresh?.has(name));
}

/** From the node or its host to the place where it will be, whichever of them is drawn. */
export function movesIn(hosts: readonly HostPicture[]): Move[] {
  return hosts.flatMap((host) =>
    host.arrivals.map(({ node, from }) => ({
      from: [`node ${node}`, `host ${from}`],
      to: [`arrival ${node}`, `host ${host.name}`],
      title: `${node} moves from ${from} to ${host.name}`,
    })),
  );
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
    lines: [small('✓ healthy   ! note   ? unknown   ✗ failed   ○ stopped or missing   → planned move')],
    columns: kinds.length,
    children: kinds.map(([kind, name]) => ({ kind: `sample ${kind}`, lines: [small(name)] })),
  };
}
