/** Who has which address, and whether it can be had. */
import {
  broadcastOf,
  type Cidr,
  cidrContains,
  formatCidr,
  type IPv4,
  parseCidr,
} from '../../model/address.js';
import type { Report } from '../report.js';
import { formatPath, type Path } from '../yaml/position.js';
import { type Check, OncePerEntry, originOf } from './check.js';

/** Why no machine can have the address; `undefined` where one can. */
function reservedAs(ip: IPv4, subnet: Cidr): string | undefined {
  if (!cidrContains(subnet, ip)) return `lies outside ${formatCidr(subnet)}`;
  // Networks of two or one addresses have neither (RFC 3021).
  if (subnet.prefix >= 31) return undefined;
  if (ip === subnet.network) return `is the network address of ${formatCidr(subnet)}`;
  if (ip === broadcastOf(subnet)) return `is the broadcast address of ${formatCidr(subnet)}`;
  return undefined;
}

export const gatewayAndVip: Check = {
  needs: ['network.subnet', 'network.gateway', 'cluster.vip'],
  run({ config: { network, cluster }, report }) {
    const say = (path: Path, code: string, message: string): void =>
      report.error({ code, path, message: `\`${formatPath(path)}\`: ${message}` });
    const gateway = reservedAs(network.gateway, network.subnet);
    if (gateway) say(['network', 'gateway'], 'network.gateway', `${network.gateway} ${gateway}`);
    if (cluster.vip === undefined) return;
    const vip = reservedAs(cluster.vip, network.subnet);
    if (vip) say(['cluster', 'vip'], 'cluster.vip', `${cluster.vip} ${vip}`);
    if (cluster.vip === network.gateway)
      say(['cluster', 'vip'], 'cluster.vip', `${cluster.vip} is the gateway`);
  },
};

export const nodeAddresses: Check = {
  needs: ['network.subnet', 'network.gateway'],
  run(input) {
    const { subnet, gateway } = input.config.network;
    const once = new OncePerEntry(input.report);
    for (const node of input.config.nodes) {
      const { path } = originOf(input, node);
      const problem = node.ip === gateway ? 'is the gateway' : reservedAs(node.ip, subnet);
      if (!problem) continue;
      once.error(path, {
        code: 'node.address',
        path: [...path, 'ip'],
        message: `\`${node.name}\`: ${node.ip} ${problem}`,
        hint: `choose one inside ${formatCidr(subnet)}`,
      });
    }
  },
};

export const uniqueAddresses: Check = {
  needs: ['cluster.vip'],
  run(input) {
    const taken = new Map<string, string>();
    if (input.config.cluster.vip) taken.set(input.config.cluster.vip, 'the VIP');
    const once = new OncePerEntry(input.report);
    for (const host of input.config.hosts) {
      for (const { name, address } of host.reservations) if (address) taken.set(address, `\`${name}\``);
    }
    for (const node of input.config.nodes) {
      const { path } = originOf(input, node);
      const claim = (ip: IPv4, at: Path): void => {
        const other = taken.get(ip);
        if (other === undefined) taken.set(ip, `\`${node.name}\``);
        else {
          once.error(path, {
            code: 'node.duplicate-address',
            path: at,
            message: `\`${node.name}\`: ${ip} is already taken by ${other}`,
            hint: 'give every machine an address of its own',
          });
        }
      };
      claim(node.ip, [...path, 'ip']);
      for (const [i, nic] of node.nics.slice(1).entries()) {
        if (typeof nic.address === 'object') claim(nic.address.ip, [...path, 'nics', i, 'ip']);
      }
    }
  },
};

/** Pods, services and nodes need networks apart, or packets go astray. */
export const separateNetworks: Check = {
  needs: ['network.subnet', 'cluster.podSubnets', 'cluster.serviceSubnets'],
  run({ config: { cluster, network }, report }) {
    const pods = cluster.podSubnets.map((text, i) => ({ text, path: ['cluster', 'podSubnets', i] }));
    const services = cluster.serviceSubnets.map((text, i) => ({
      text,
      path: ['cluster', 'serviceSubnets', i],
    }));
    for (const { text, path } of [...pods, ...services]) {
      const own = parseCidr(text);
      if (own && overlap(own, network.subnet)) sayOverlap(report, path, text, formatCidr(network.subnet));
    }
    for (const service of services) {
      const own = parseCidr(service.text);
      const clash = pods.find(({ text }) => {
        const pod = parseCidr(text);
        return own && pod && overlap(own, pod);
      });
      if (clash) sayOverlap(report, service.path, service.text, clash.text);
    }
  },
};

function sayOverlap(report: Report, path: Path, one: string, other: string): void {
  report.error({
    code: 'cluster.subnets',
    path,
    message: `${one} overlaps ${other}`,
    hint: 'nodes, pods and services each need a network of their own',
  });
}

function overlap(a: Cidr, b: Cidr): boolean {
  return cidrContains(a, b.network) || cidrContains(b, a.network);
}
