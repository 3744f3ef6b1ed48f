/** The network as this computer sees it: before the first apply addresses must be free, afterwards nodes must answer. */
import type { Config } from '../../config/config.js';
import type { Design } from '../../design/design.js';
import { type Check, fail, ok, warn } from './check.js';
import type { ClusterFacts, NodeReach, OutsideReach, ReachFacts } from './facts.js';

const DEFAULT_MTU = 1_500;

export function reachChecks(config: Config, { nodes, vip, outside, dns }: ReachFacts): Check[] {
  const subnet = String(config.network.subnet);
  const found = nodes.flatMap((node) => nodeProblems(node, subnet));
  const fine = nodes.filter((node) => nodeProblems(node, subnet).length === 0);
  const running = fine.filter(({ runs }) => runs);
  const free = fine.length - running.length;
  return [
    ...(running.length > 0
      ? [ok('nodes', `nodes answer from here: ${running.map(({ name }) => name).join(', ')}`)]
      : []),
    ...(free > 0 ? [ok('nodes', `addresses of nodes that do not run yet are free: ${free}`)] : []),
    ...found,
    ...(vip !== undefined && nodes.every(({ runs }) => !runs)
      ? vipChecks(String(config.cluster.vip), vip)
      : []),
    ...outside.map(outsideCheck),
    ...dns
      .filter(({ answers }) => !answers)
      .map(({ server }) =>
        warn(
          'internet',
          `DNS server ${server} of the nodes does not answer from here`,
          `Ask it: dig @${server} ghcr.io; nodes need it from their own network.`,
        ),
      ),
  ];
}

function nodeProblems(
  { name, address, vmid, runs, knock, elsewhere, timeSynced }: NodeReach,
  subnet: string,
): Check[] {
  if (knock === 'no-route')
    return [
      fail(
        'nodes',
        `this computer has no route to ${address} (${name})`,
        `Add a route or a VPN to ${subnet}: ip route get ${address}`,
      ),
    ];
  if (!runs) {
    if (knock === 'silent') return [];
    return [
      fail(
        'nodes',
        `${address} is in use, and VM ${vmid} (${name}) does not run`,
        `Another machine has it, perhaps by DHCP: ip neigh show ${address}`,
        'Keep the addresses of nodes out of the DHCP range, or change `ip`.',
      ),
    ];
  }
  if (knock === 'answers')
    return timeSynced === false
      ? [
          warn(
            'clock',
            `${name} has not set its clock`,
            `Its time servers must answer: talosctl -n ${address} time`,
          ),
        ]
      : [];
  if (elsewhere.length > 0)
    return [
      fail(
        'nodes',
        `${name} has ${elsewhere.join(', ')} in place of ${address}: a DHCP server gave it`,
        `Reserve ${address} for its MAC (qm config ${vmid}), or run: oxherd apply`,
      ),
    ];
  return [
    fail(
      'nodes',
      `VM ${vmid} (${name}) runs, and nothing answers at ${address}:50000`,
      `Look at its console: qm terminal ${vmid}; check bridge, VLAN and firewalls on the way.`,
    ),
  ];
}

function vipChecks(vip: string, knock: ReachFacts['vip']): Check[] {
  return knock === 'silent' || knock === 'no-route'
    ? [ok('nodes', `the address of the API, ${vip}, is free`)]
    : [
        fail(
          'nodes',
          `the address of the API, ${vip}, is in use, and no node runs`,
          `See which machine has it: ip neigh show ${vip}; or change cluster.vip.`,
        ),
      ];
}

function outsideCheck({ name, factory, unresolved, knock }: OutsideReach): Check {
  const need = factory ? 'images of Talos come from there' : 'nodes pull images from there';
  if (unresolved !== undefined)
    return warn('internet', `${name} has no address here: ${need}`, `Check DNS: getent hosts ${name}`);
  if (knock === 'answers') return ok('internet', `${name} answers`);
  const instead = factory ? 'another one with talos.factory' : 'mirrors in a patch of talos';
  return warn(
    'internet',
    `${name} does not answer from here: ${need}`,
    `curl -sI https://${name}; without the internet: ${instead}.`,
  );
}

/** Frames that are larger than the bridge takes are dropped without a word. */
export function mtuChecks(config: Config, design: Design, cluster: ClusterFacts): Check[] {
  const hostOf = new Map(design.nodes.map((node) => [node.name, node.host]));
  const wanted = new Map<string, { host: string; bridge: string; mtu: number }>();
  for (const node of config.nodes)
    for (const { bridge, mtu } of node.nics) {
      const host = hostOf.get(node.name) ?? node.host;
      // 1 is the bridge's own.
      if (mtu !== undefined && mtu > 1) wanted.set(`${host}/${bridge}/${mtu}`, { host, bridge, mtu });
    }
  return [...wanted.values()].flatMap(({ host, bridge, mtu }) => {
    const bridges = cluster.hosts[host]?.bridges;
    const found = bridges?.known ? bridges.value.find(({ iface }) => iface === bridge) : undefined;
    if (!found) return [];
    const has = found.mtu ?? DEFAULT_MTU;
    if (mtu <= has) return [ok('network', `${bridge} on ${host} takes frames of ${mtu} bytes`)];
    return [
      fail(
        'network',
        `${bridge} on ${host} has an MTU of ${has}, nodes there ${mtu}: large packets are lost`,
        `On ${host}: ip link set ${bridge} mtu ${mtu}, and \`mtu ${mtu}\` in /etc/network/interfaces; or lower network.mtu.`,
      ),
    ];
  });
}
