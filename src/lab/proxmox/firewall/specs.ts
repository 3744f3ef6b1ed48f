/** Addresses and ports of rules (pve-firewall, PVE/Firewall.pm; texts of addresses are Net::IP's). */
import { isIpv4, isIpv6 } from '../validation/addresses.js';
import { isTrue, type Verify } from '../validation/verify.js';
import { CONNTRACK_HELPERS, ICMP_TYPES, ICMPV6_TYPES, isProtocol, isService } from './names.js';
import { type IpVersion, netIpProblem, networkProblem } from './net-ip.js';

export const NAME = '[A-Za-z][A-Za-z0-9\\-_]+';
export const ALIAS = new RegExp(`^(dc/|guest/)?(${NAME})\n?$`);
const LONGEST_NAME = 64;

interface AddressList {
  readonly problem?: string;
  readonly version?: IpVersion;
}

/** Perl's split leaves out what is empty at the end, which is how a trailing comma is found. */
function elements(text: string): readonly string[] | undefined {
  if (text === '') return [];
  return text.endsWith(',') ? undefined : text.split(',');
}

/** An IP set, an alias, or addresses, networks and ranges separated by commas. */
export function readAddresses(text: string): AddressList {
  if (/^\+\S+$/.test(text)) {
    return text.length > LONGEST_NAME + 1 ? { problem: 'ipset name too long' } : {};
  }
  if (ALIAS.test(text)) return text.length > LONGEST_NAME ? { problem: 'alias name too long' } : {};
  const items = elements(text);
  if (!items) return { problem: 'extraneous commas in list' };
  let version: IpVersion | undefined;
  for (const item of items) {
    const problem = netIpProblem(item);
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
  const items = elements(text);
  if (!items) return 'extraneous commas in list';
  let count = 0;
  let types = false;
  for (const item of items) {
    const [, first, last] = /^(\d+):(\d+)\n?$/.exec(item) ?? [];
    const numbers =
      first !== undefined && last !== undefined ? [first, last] : /^\d+\n?$/.test(item) ? [item] : [];
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
  const plain = (isIpv4(address) || isIpv6(address)) && (length === undefined || /^\d+\n?$/.test(length));
  if (!plain || text.split('/').length > 2) {
    return 'value does not look like a valid IP address or CIDR network';
  }
  return networkProblem(address, length);
}

export const FIREWALL_FORMATS: Readonly<Record<string, Verify>> = {
  'pve-fw-addr-spec': (text) => readAddresses(text).problem,
  'pve-fw-dport-spec': (text) => portsProblem(text, true),
  'pve-fw-sport-spec': (text) => portsProblem(text, false),
  'pve-fw-protocol-spec': (text) =>
    isProtocol(text) || !isTrue(text) ? undefined : `unknown protocol '${text}'`,
  'pve-fw-icmp-type-spec': (text) =>
    text === '' || ICMP_TYPES.has(text) || ICMPV6_TYPES.has(text)
      ? undefined
      : `invalid icmp-type value '${text}'`,
  'pve-fw-conntrack-helper': (text) => {
    const helpers = elements(text);
    if (!helpers) return 'extraneous commas in list';
    const unknown = helpers.find((helper) => !CONNTRACK_HELPERS.has(helper));
    return unknown === undefined
      ? undefined
      : `unknown helper ${unknown} at /usr/share/perl5/PVE/Firewall.pm line 1167.`;
  },
  IPorCIDR: cidrProblem,
  IPorCIDRorAlias: (text) => (ALIAS.test(text) ? undefined : cidrProblem(text)),
};
