/** Addresses and ports of rules (pve-firewall, PVE/Firewall.pm; texts of addresses are Net::IP's). */
import { isIpv4, isIpv6 } from '../validation/addresses.js';
import type { Verify } from '../validation/verify.js';
import { ICMP_TYPES, ICMPV6_TYPES, isProtocol, isService } from './names.js';

export const NAME = '[A-Za-z][A-Za-z0-9\\-_]+';
const ALIAS = new RegExp(`^(dc/|guest/)?(${NAME})$`);
const LONGEST_NAME = 64;

export type IpVersion = 4 | 6;

/** What Net::IP says of a single address; `undefined`: it takes it. */
function addressProblem(text: string): string | undefined {
  if (text.includes(':')) return isIpv6(text) ? undefined : `Invalid address ${text}`;
  if (!/^[\d.]+$/.test(text)) return `Invalid chars in IP ${text}`;
  if (text.startsWith('.')) return `Invalid IP ${text} - starts with a dot`;
  if (text.endsWith('.')) return `Invalid IP ${text} - ends with a dot`;
  const quads = text.split('.');
  if (quads.length > 4) return `Invalid IP address ${text}`;
  if (quads.includes('')) return `Empty quad in IP address ${text}`;
  const bad = quads.find((quad) => Number(quad) > 255);
  return bad === undefined ? undefined : `Invalid quad in IP address ${text} - ${bad}`;
}

function bits(address: string): string {
  if (!address.includes(':')) {
    return address
      .split('.')
      .concat(['0', '0', '0'])
      .slice(0, 4)
      .map((quad) => Number(quad).toString(2).padStart(8, '0'))
      .join('');
  }
  const [head = '', tail] = address.split('::');
  const words = (part: string) => part.split(':').filter((word) => word !== '');
  const before = words(head);
  const after = words(tail ?? '');
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after]
    .map((word) => Number.parseInt(word, 16).toString(2).padStart(16, '0'))
    .join('');
}

/** A prefix must not cut through the address. */
function networkProblem(text: string, hostBits: boolean): string | undefined {
  const [address = '', length] = text.split('/', 2);
  const problem = addressProblem(address);
  if (problem !== undefined || length === undefined) return problem;
  if (!/^\d+$/.test(length)) return `Invalid prefix ${length}`;
  const binary = bits(address);
  if (Number(length) > binary.length) {
    return `Prefix length ${length} is longer than IP address (${binary.length})`;
  }
  const rest = binary.slice(Number(length));
  return hostBits || /^0*$/.test(rest) ? undefined : `Invalid prefix ${binary}/${length}`;
}

interface AddressList {
  readonly problem?: string;
  readonly version?: IpVersion;
}

/** An IP set, an alias, or addresses, networks and ranges separated by commas. */
export function readAddresses(text: string): AddressList {
  if (/^\+\S+$/.test(text)) {
    return text.length > LONGEST_NAME + 1 ? { problem: 'ipset name too long' } : {};
  }
  if (ALIAS.test(text)) return text.length > LONGEST_NAME ? { problem: 'alias name too long' } : {};
  const items = text.split(',');
  if (items.at(-1) === '') return { problem: 'extraneous commas in list' };
  let version: IpVersion | undefined;
  for (const item of items) {
    const ends = item.split('-');
    const problem = ends.map((end) => networkProblem(end, false)).find((found) => found !== undefined);
    if (problem !== undefined) return { problem: `invalid IP address: ${problem}` };
    const own = item.includes(':') ? 6 : 4;
    if (version !== undefined && version !== own) {
      return { problem: `detected mixed ipv4/ipv6 addresses in address list '${text}'` };
    }
    version = own;
  }
  if (items.length > 1 && text.includes('-')) return { problem: "you can't use a range in a list" };
  return version === undefined ? {} : { version };
}

/** `icmp`: names of ICMP types are taken too, as old configs have them there. */
export function portsProblem(text: string, icmp: boolean): string | undefined {
  const items = text.split(',');
  if (items.at(-1) === '') return 'extraneous commas in list';
  let count = 0;
  let types = false;
  for (const item of items) {
    const [, first, last] = /^(\d+):(\d+)$/.exec(item) ?? [];
    const numbers =
      first !== undefined && last !== undefined ? [first, last] : /^\d+$/.test(item) ? [item] : [];
    const bad = numbers.find((port) => Number(port) > 65_535);
    if (bad !== undefined) return `invalid port '${bad}'`;
    if (Number(first) > Number(last)) {
      return `backwards range '${item}' not allowed, did you mean '${last}:${first}'?`;
    }
    count += numbers.length;
    if (numbers.length > 0) continue;
    if (icmp && (ICMP_TYPES.has(item) || ICMPV6_TYPES.has(item))) types = true;
    else if (!isService(item)) return `invalid port '${item}'`;
  }
  if (types && count > 0) return 'ICMP ports not allowed in port range';
  return count > 15 ? 'too many entries in port list (> 15 numbers)' : undefined;
}

/** As a member of a set or the value of an alias: bits behind the prefix are allowed. */
function cidrProblem(text: string): string | undefined {
  const [address = '', length] = text.split('/', 2);
  const plain = (isIpv4(address) || isIpv6(address)) && (length === undefined || /^\d+$/.test(length));
  if (!plain || text.split('/').length > 2) {
    return 'value does not look like a valid IP address or CIDR network';
  }
  return networkProblem(text, true);
}

export const FIREWALL_FORMATS: Readonly<Record<string, Verify>> = {
  'pve-fw-addr-spec': (text) => readAddresses(text).problem,
  'pve-fw-dport-spec': (text) => portsProblem(text, true),
  'pve-fw-sport-spec': (text) => portsProblem(text, false),
  'pve-fw-protocol-spec': (text) => (isProtocol(text) ? undefined : `unknown protocol '${text}'`),
  'pve-fw-icmp-type-spec': (text) =>
    ICMP_TYPES.has(text) || ICMPV6_TYPES.has(text) ? undefined : `invalid icmp-type value '${text}'`,
  IPorCIDR: cidrProblem,
  IPorCIDRorAlias: (text) => (ALIAS.test(text) ? undefined : cidrProblem(text)),
};
