/** Subnets of VNets (pve-network, PVE/API2/Network/SDN/Subnets.pm). */
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { type Call, type Handlers, PveError } from '../api.js';
import { changeSection, checkSection, type Settings, sectionOptions } from '../section-config.js';
import { splitList } from '../validation/formats.js';
import {
  configOf,
  optionsOf,
  putConfig,
  removeConfig,
  requireSdnQuorum,
  type SdnConfig,
  seen,
  seenDigest,
  withSdnLock,
} from './objects.js';
import { requireVnetAccess } from './vnets.js';

const PATH = '/cluster/sdn/vnets/{vnet}/subnets';
const OPTIONS = sectionOptions('vnet+ gateway snat dnszoneprefix dhcp-range dhcp-dns-server');

export const subnetHandlers: Handlers = {
  [`GET ${PATH}`]: (call) => {
    requireVnetAccess(call, ['SDN.Audit', 'SDN.Allocate']);
    return seen(call, 'subnets')
      .filter(([, subnet]) => vnetOf(subnet) === call.text('vnet'))
      .map(([id, subnet]) => described(call, id, subnet));
  },
  [`GET ${PATH}/{subnet}`]: (call) => {
    requireVnetAccess(call, ['SDN.Audit', 'SDN.Allocate']);
    const found = seen(call, 'subnets').find(([id]) => id === subnetId(call));
    if (!found) throw missing(call);
    if (vnetOf(found[1]) !== call.text('vnet')) throw PveError.parameter({ vnet: 'wrong vnet' });
    return described(call, ...found);
  },
  [`POST ${PATH}`]: create,
  [`PUT ${PATH}/{subnet}`]: update,
  [`DELETE ${PATH}/{subnet}`]: (call) => {
    requireVnetAccess(call, ['SDN.Allocate']);
    return withSdnLock(call, 'delete sdn subnet object failed', () => {
      removeConfig(call.pve, 'subnets', subnetId(call));
      return null;
    });
  },
};

const subnetId = (call: Call) => call.text('subnet') ?? '';
const missing = (call: Call) => new PveError(500, `sdn subnet '${subnetId(call)}' does not exist`);

function vnetOf(subnet: Readonly<Record<string, unknown>>): string {
  const { vnet, pending } = subnet;
  const next =
    typeof pending === 'object' && pending !== null && 'vnet' in pending ? pending.vnet : undefined;
  return String(vnet ?? next ?? '');
}

/** `zone-10.0.0.0-24` says the rest. */
function partsOf(id: string): { zone: string; network: string; mask: string; cidr: string } {
  const [zone = '', network = '', mask = ''] = id.split('-');
  return { zone, network, mask, cidr: `${network}/${mask}` };
}

/** `start-address=…,end-address=…`, checked as a parameter. */
function rangeOf(line: string): Record<string, string> {
  return Object.fromEntries(line.split(',').map((part) => part.trim().split('=')));
}

function rangesOf(subnet: Readonly<Record<string, unknown>>): Record<string, string>[] {
  const lines = subnet['dhcp-range'];
  return Array.isArray(lines) ? lines.map((line) => rangeOf(String(line))) : [];
}

function described(
  call: Call,
  id: string,
  subnet: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return {
    ...subnet,
    id,
    subnet: id,
    ...partsOf(id),
    'dhcp-range': rangesOf(subnet),
    digest: seenDigest(call, 'subnets'),
  };
}

function create(call: Call): Promise<null> {
  const vnet = requireVnetAccess(call, ['SDN.Allocate']);
  requireSdnQuorum(call);
  return withSdnLock(call, 'create sdn subnet object failed', () => {
    const id = `${vnet.zone}-${subnetId(call).replace('/', '-')}`;
    const settings = checkSection(OPTIONS, optionsOf(call, 'subnet', 'type'), true);
    if (configOf(call.pve, 'subnets', id))
      throw new PveError(500, `sdn subnet object ID '${id}' already defined`);
    const ranges = call.list('dhcp-range');
    put(call, id, settings, ranges, vnet);
    return null;
  });
}

function update(call: Call): Promise<null> {
  const vnet = requireVnetAccess(call, ['SDN.Allocate']);
  return withSdnLock(call, 'update sdn subnet object failed', () => {
    const id = subnetId(call);
    const old = configOf(call.pve, 'subnets', id);
    if (!old) throw missing(call);
    const gone = splitList(call.text('delete') ?? '');
    const changes = checkSection(OPTIONS, optionsOf(call, 'subnet', 'type'), false);
    const { type: _type, 'dhcp-range': kept, ...texts } = old;
    const plain = Object.entries(texts).map(([key, value]) => [
      key,
      typeof value === 'number' ? value : String(value),
    ]);
    const settings = changeSection(OPTIONS, Object.fromEntries(plain), changes, gone);
    const given = call.list('dhcp-range');
    const before = gone.includes('dhcp-range') || !Array.isArray(kept) ? [] : kept.map(String);
    put(call, id, settings, given.length > 0 ? given : before, vnet);
    return null;
  });
}

function put(call: Call, id: string, settings: Settings, ranges: readonly string[], vnet: SdnConfig): void {
  const { cidr, mask, network } = partsOf(id);
  if (vnet.vlanaware) throw PveError.parameter({ vnet: "you can't add a subnet on a vlanaware vnet" });
  const inside = matcher(network, Number(mask));
  const gateway = settings.gateway === undefined ? undefined : String(settings.gateway);
  const pointToPoint = gateway !== undefined && isIPv4(gateway) && mask === '32';
  if (gateway && !inside(gateway) && !pointToPoint) {
    throw PveError.parameter({ gateway: `${gateway} is not in subnet ${cidr}` });
  }
  checkRanges(ranges, cidr, inside);
  const all = { ...settings, ...(ranges.length > 0 ? { 'dhcp-range': ranges } : {}) };
  putConfig(call.pve, 'subnets', id, { ...all, type: 'subnet' });
}

function matcher(network: string, length: number): (address: string) => boolean {
  const block = new BlockList();
  block.addSubnet(network, length, isIPv6(network) ? 'ipv6' : 'ipv4');
  return (address) => block.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}

function checkRanges(lines: readonly string[], cidr: string, inside: (address: string) => boolean): void {
  const bad = (problem: string) => PveError.parameter({ 'dhcp-range': problem });
  const before: (readonly [bigint, bigint])[] = [];
  for (const line of lines) {
    const { 'start-address': start = '', 'end-address': end = '' } = rangeOf(line);
    if (numberOf(start) > numberOf(end)) {
      throw bad(`start-address ${start} must be smaller than end-address ${end}`);
    }
    if (!inside(start)) throw bad(`start-address ${start} is not in subnet ${cidr}`);
    if (!inside(end)) throw bad(`end-address ${end} is not in subnet ${cidr}`);
    const range = [numberOf(start), numberOf(end)] as const;
    if (before.some(([from, to]) => range[0] <= to && from <= range[1]))
      throw bad('dhcp ranges must not overlap');
    before.push(range);
  }
}

function numberOf(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n);
  const [head = '', tail] = address.split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail ? tail.split(':') : [];
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - front.length - back.length }, () => '0');
  return [...front, ...zeros, ...back].reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n);
}
