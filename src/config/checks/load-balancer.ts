/** Addresses of load balancers: announced by Cilium, in a network where they can be, and no one else's. */

import { isMapping } from '../../formats/text/mapping.js';
import {
  type AddressRange,
  broadcastOf,
  type Cidr,
  formatCidr,
  formatRange,
  type IPv4,
  networkOf,
  parseCidr,
  parseIPv4,
  rangeContains,
  rangeOf,
  rangesOverlap,
  rangeWithin,
} from '../../model/address.js';
import { compareVersions, parseVersion } from '../../model/version.js';
import type { Config } from '../config.js';
import type { LoadBalancerConfig } from '../kubernetes-config.js';
import type { Report } from '../report.js';
import type { Path } from '../yaml/position.js';
import type { Check } from './check.js';

const AT = ['kubernetes', 'loadBalancer'];
const POOL = [...AT, 'pool'];

export const loadBalancerNetwork: Check = {
  needs: ['kubernetes.cilium', 'kubernetes.loadBalancer'],
  run({ config: { kubernetes }, report }) {
    const { loadBalancer, cilium } = kubernetes;
    if (!loadBalancer) return;
    const say = (path: Path, message: string, hint: string): void =>
      report.error({ code: 'kubernetes.load-balancer', path, message, hint });
    const { mode, peers } = loadBalancer;
    if (!cilium) {
      say(
        AT,
        'load balancer addresses are announced by Cilium, and `kubernetes.cilium` is off',
        'add `cilium: true` to `kubernetes`; with another network install MetalLB or kube-vip through `kubernetes.manifests`',
      );
      return;
    }
    const version = parseVersion(cilium.version);
    const oldest = parseVersion(OLDEST[mode]);
    if (version && oldest && compareVersions(version, oldest) < 0)
      say(
        [...AT, 'mode'],
        `mode \`${mode}\` needs Cilium ${OLDEST[mode]} or newer, not ${cilium.version}`,
        'raise `kubernetes.cilium.version`',
      );
    const off = switchedOff(cilium, mode);
    if (off) say(off.path, `mode \`${mode}\` of \`kubernetes.loadBalancer\` needs ${off.what}`, off.hint);
    if (mode === 'bgp' && peers.length === 0)
      say(
        AT,
        'mode `bgp` needs the routers to announce to',
        'add `peers: [{ address: 10.20.30.254, asn: 64513 }]`',
      );
    if (mode === 'l2' && peers.length > 0)
      say([...AT, 'peers'], '`peers` are routers of mode `bgp`', 'write `mode: bgp`, or remove `peers`');
  },
};

/** Pools by ranges (`blocks`) came with 1.15, the BGP resources with 1.16. */
const OLDEST = { l2: 'v1.15.0', bgp: 'v1.16.0' } as const;

/** What of Cilium the mode needs and the config has turned off. */
function switchedOff(
  { l2Announcements, values = {} }: NonNullable<Config['kubernetes']['cilium']>,
  mode: LoadBalancerConfig['mode'],
): { readonly path: Path; readonly what: string; readonly hint: string } | undefined {
  const cilium = ['kubernetes', 'cilium'];
  const section = mode === 'l2' ? 'l2announcements' : 'bgpControlPlane';
  const own = values[section];
  const written = isMapping(own) ? own.enabled : undefined;
  if (written !== undefined && written !== true) {
    const hint = `remove \`${section}.enabled\` from \`kubernetes.cilium.values\``;
    return { path: [...cilium, 'values'], what: `\`${section}\` of Cilium on`, hint };
  }
  if (mode !== 'l2') return undefined;
  if (values.kubeProxyReplacement === false || values.kubeProxyReplacement === 'false') {
    const hint = 'remove `kubeProxyReplacement` from `kubernetes.cilium.values`';
    return { path: [...cilium, 'values'], what: 'the kube-proxy replacement of Cilium', hint };
  }
  if (l2Announcements || written === true) return undefined;
  const hint = 'remove `l2Announcements: false`';
  return { path: [...cilium, 'l2Announcements'], what: 'the L2 announcements of Cilium', hint };
}

export const loadBalancerPool: Check = {
  needs: ['kubernetes.loadBalancer', 'network', 'cluster', 'hosts', 'nodes'],
  run({ config, file, report }) {
    const { loadBalancer } = config.kubernetes;
    if (!loadBalancer) return;
    const isList = Array.isArray(file.kubernetes?.loadBalancer?.pool);
    const { pool } = loadBalancer;
    for (const [i, block] of pool.entries()) {
      const path = isList ? [...POOL, i] : POOL;
      const say = (message: string, hint: string): void =>
        report.error({
          code: 'kubernetes.load-balancer-pool',
          path,
          message: `pool ${formatRange(block)} ${message}`,
          hint,
        });
      const clash = poolClash(config, block);
      if (clash) say(`contains ${clash.address}, ${clash.what}`, 'choose addresses that no one else has');
      const networks = otherNetworks(config).filter(({ range }) => rangesOverlap(range, block));
      for (const { text, what } of networks) say(`overlaps ${what} ${text}`, 'choose other addresses');
      const twin = pool.slice(0, i).find((earlier) => rangesOverlap(earlier, block));
      if (twin) say(`overlaps ${formatRange(twin)} of the same pool`, 'name each address once');
      if (loadBalancer.mode === 'l2' && !lanOf(config, block))
        say(
          `is in no network of the nodes (${lansOf(config).map(formatCidr).join(', ')}), where they could answer ARP`,
          'choose addresses inside, or `mode: bgp`',
        );
    }
    warnings(config, loadBalancer, report);
  },
};

function warnings({ network, nodes }: Config, { pool, mode }: LoadBalancerConfig, report: Report): void {
  const subnet = rangeOf(network.subnet);
  const inside = pool.find((block) => rangesOverlap(block, subnet));
  if (!inside) return;
  if (mode === 'bgp') {
    report.warning({
      code: 'kubernetes.load-balancer-subnet',
      path: POOL,
      message: `${formatRange(inside)} lies in ${formatCidr(network.subnet)}: machines there ask for it by ARP and get no answer, only routers know the way`,
      hint: 'choose a network of its own for `bgp`, or `mode: l2`',
    });
  }
  const byDhcp =
    network.firstBoot === 'dhcp' || nodes.some(({ nics }) => nics.some(({ address }) => address === 'dhcp'));
  if (byDhcp && !network.dhcpRange) {
    report.warning({
      code: 'kubernetes.load-balancer-dhcp',
      path: POOL,
      message: `a DHCP server serves ${formatCidr(network.subnet)}; an address that it hands out must not be in the pool`,
      hint: 'write what it hands out as `network.dhcpRange`',
    });
  }
}

/** The first address of the pool that is someone's; `undefined`: all are free as far as oxherd.yaml knows. */
function poolClash(
  config: Config,
  block: AddressRange,
): { readonly address: string; readonly what: string } | undefined {
  return (
    takenAddresses(config).find(({ address }) => rangeContains(block, address)) ?? dhcpClash(config, block)
  );
}

function dhcpClash({ network: { dhcpRange } }: Config, block: AddressRange) {
  if (!dhcpRange || !rangesOverlap(dhcpRange, block)) return undefined;
  return { address: formatRange(dhcpRange), what: 'which the DHCP server hands out (`network.dhcpRange`)' };
}

interface Taken {
  readonly address: IPv4;
  readonly what: string;
}

/** Every address that oxherd.yaml gives to someone. */
function takenAddresses({ cluster, network, nodes, hosts, kubernetes, proxmox }: Config): Taken[] {
  const named = (text: string | undefined, what: string): Taken[] => {
    const address = text === undefined ? undefined : parseIPv4(text);
    return address ? [{ address, what }] : [];
  };
  const hostOf = (url: string | undefined) => url?.replace(/^https?:\/\//, '').replace(/:\d+$/, '');
  return [
    ...named(cluster.vip, 'the VIP'),
    ...nodes.flatMap(({ name, ip, nics }) => [
      { address: ip, what: `the address of \`${name}\`` },
      ...nics.flatMap(({ address }) =>
        typeof address === 'object' ? [{ address: address.ip, what: `an address of \`${name}\`` }] : [],
      ),
    ]),
    ...named(network.gateway, 'the gateway'),
    ...lansOf({ network, nodes }).flatMap((lan): Taken[] =>
      lan.prefix >= 31
        ? []
        : [
            { address: lan.network, what: `the network address of ${formatCidr(lan)}` },
            { address: broadcastOf(lan), what: `the broadcast address of ${formatCidr(lan)}` },
          ],
    ),
    ...network.dns.flatMap((text) => named(text, 'a DNS server')),
    ...network.ntp.flatMap((text) => named(text, 'a time server')),
    ...hosts.flatMap(({ reservations }) =>
      reservations.flatMap(({ name, address }) => named(address, `the address of \`${name}\``)),
    ),
    ...named(hostOf(cluster.endpoint), 'the endpoint of the cluster'),
    ...proxmox.endpoints.flatMap((url) => named(hostOf(url), 'a Proxmox host')),
    ...(kubernetes.loadBalancer?.peers ?? []).map(({ address }) => ({ address, what: 'a BGP router' })),
  ];
}

/** Networks that the nodes are in, each once. */
function lansOf({ network, nodes }: Pick<Config, 'network' | 'nodes'>): Cidr[] {
  const further = nodes.flatMap(({ nics }) =>
    nics.flatMap(({ address }) => (typeof address === 'object' ? networkOf(address.ip, address.prefix) : [])),
  );
  const all = [network.subnet, ...further];
  return all.filter((lan, i) => all.findIndex((other) => formatCidr(other) === formatCidr(lan)) === i);
}

function lanOf(config: Config, block: AddressRange): Cidr | undefined {
  return lansOf(config).find((lan) => rangeWithin(block, rangeOf(lan)));
}

function otherNetworks({ cluster }: Config) {
  const of = (texts: readonly string[], what: string) =>
    texts.flatMap((text) => {
      const cidr = parseCidr(text);
      return cidr ? [{ text, what, range: rangeOf(cidr) }] : [];
    });
  return [
    ...of(cluster.podSubnets, 'the network of pods'),
    ...of(cluster.serviceSubnets, 'the network of services'),
  ];
}
