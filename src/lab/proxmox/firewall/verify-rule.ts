/** Whether a rule makes sense where it is (pve-firewall, `verify_rule`); recording `firewall-vm`. */
import { PveError } from '../api.js';
import { hasPorts, ICMP_TYPES, ICMPV6_TYPES, isIcmp, isProtocol, macroNamed } from './names.js';
import type { IpVersion } from './net-ip.js';
import type { FirewallRecord, Rule } from './records.js';
import { NAME, portsProblem, readAddresses } from './specs.js';

export type RulePlace = 'cluster' | 'group' | 'host' | 'vm';

const TYPES: Readonly<Record<RulePlace, readonly string[]>> = {
  vm: ['in', 'out', 'group'],
  group: ['in', 'out', 'forward'],
  cluster: ['in', 'out', 'forward', 'group'],
  host: ['in', 'out', 'forward', 'group'],
};

const fail = (name: string, message: string) => PveError.parameter({ [name]: message });

/** The rule as it is kept: with the version of its addresses, and its macro as Proxmox writes it. */
export function verifyRule(rule: Rule, place: RulePlace, own: FirewallRecord, cluster: FirewallRecord): Rule {
  const text = (name: string) => String(rule[name] ?? '');
  checkAction(text('type'), text('action'), place);
  checkInterface(text('iface'), place);
  const macro = rule.macro === undefined ? undefined : macroNamed(text('macro'));
  if (rule.macro !== undefined && macro === undefined) throw fail('macro', `unknown macro '${rule.macro}'`);
  checkProtocol(text('proto'), text('dport'), text('sport'), text('icmp-type'));
  const versions: (IpVersion | undefined)[] = [
    text('proto') === 'icmp' ? 4 : ['icmpv6', 'ipv6-icmp'].includes(text('proto')) ? 6 : undefined,
  ];
  for (const name of ['source', 'dest']) {
    if (rule[name] === undefined) continue;
    const { problem, version } = readAddresses(text(name));
    if (problem !== undefined) throw fail(name, problem);
    const named = namedVersion(name, text(name), own, cluster);
    versions.push(version ?? named);
    if (versions.includes(4) && versions.includes(6)) {
      throw fail(name, 'detected mixed ipv4/ipv6 addresses in rule');
    }
  }
  const version = versions.find((found) => found !== undefined);
  const { ipversion: _old, ...rest } = rule;
  return {
    ...rest,
    ...(macro === undefined ? {} : { macro }),
    ...(version === undefined ? {} : { ipversion: version }),
  };
}

function checkAction(type: string, action: string, place: RulePlace): void {
  if (!TYPES[place].includes(type)) throw fail('type', `invalid rule type '${type}' for rule_env '${place}'`);
  if (type === 'group') {
    if (!new RegExp(`^${NAME}$`).test(action)) {
      throw fail('action', 'invalid characters in security group name');
    }
    return;
  }
  if (type === 'forward' && action === 'REJECT') {
    throw fail('action', 'cannot define REJECT rules on forward chain');
  }
  if (!['ACCEPT', 'DROP', 'REJECT'].includes(action)) throw fail('action', `unknown action '${action}'`);
}

function checkInterface(iface: string, place: RulePlace): void {
  if (iface === '') return;
  if (place === 'group') throw fail('type', 'parameter -i not allowed for this rule type');
  if (!/^[a-z][a-z0-9_]{1,20}([:.]\d+)?$/i.test(iface)) {
    throw fail('iface', `invalid network interface name '${iface}'`);
  }
  if (place === 'vm' && !/^net\d+$/.test(iface)) {
    throw fail('iface', "value does not match the regex pattern 'net\\d+'");
  }
}

function checkProtocol(protocol: string, dport: string, sport: string, icmpType: string): void {
  if (protocol !== '' && !isProtocol(protocol)) throw fail('proto', `unknown protocol '${protocol}'`);
  checkPorts('dport', dport, protocol);
  if (icmpType !== '') {
    const missing = "missing property - 'icmp-type' requires this property";
    if (!isIcmp(protocol)) throw fail('proto', missing);
    if (dport !== '') {
      throw fail('icmp-type', "'icmp-type' cannot be specified together with 'dport'");
    }
    if (!(protocol === 'icmp' ? ICMP_TYPES : ICMPV6_TYPES).has(icmpType)) {
      throw fail('icmp-type', `invalid icmp-type '${icmpType}' for proto '${protocol}'`);
    }
  }
  checkPorts('sport', sport, protocol);
}

function checkPorts(name: 'dport' | 'sport', ports: string, protocol: string): void {
  if (ports === '') return;
  const icmp = name === 'dport' && isIcmp(protocol);
  const problem = portsProblem(ports, icmp);
  if (problem !== undefined) throw fail(name, problem);
  if (protocol === '') throw fail('proto', `missing property - '${name}' requires this property`);
  if (!hasPorts(protocol) && !icmp) throw fail(name, `protocol '${protocol}' does not support ports`);
}

/** A set or alias must be there; where it is named `dc/x` or `guest/x`, it may still be found in the other place. */
function namedVersion(
  name: string,
  value: string,
  own: FirewallRecord,
  cluster: FirewallRecord,
): IpVersion | undefined {
  if (value.startsWith('+')) {
    const set = new RegExp(`^\\+(guest/|dc/|sdn/)?(${NAME})$`).exec(value)?.[2];
    if (set === undefined) throw fail(name, `invalid ipset name '${value}'`);
    if (!own.ipsets[set] && !cluster.ipsets[set]) throw fail(name, `no such ipset '${set}'`);
    return undefined;
  }
  const [, scope = '', alias] = new RegExp(`^(guest/|dc/)?(${NAME})$`).exec(value) ?? [];
  if (alias === undefined) return undefined;
  const key = alias.toLowerCase();
  if (!own.aliases[key] && !cluster.aliases[key]) throw fail(name, `no such alias '${value}'`);
  const found = (scope === 'dc/' ? undefined : own.aliases[key]) ?? cluster.aliases[key];
  return found && (found.cidr.includes(':') ? 6 : 4);
}
