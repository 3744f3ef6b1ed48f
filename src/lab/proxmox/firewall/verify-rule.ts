/** Whether a rule makes sense where it is (pve-firewall, `verify_rule`); recording `firewall-vm`. */
import { PveError } from '../api.js';
import { hasPorts, ICMP_TYPES, ICMPV6_TYPES, isIcmp, isProtocol, macroNamed } from './names.js';
import type { IpVersion } from './net-ip.js';
import type { FirewallRecord, Rule } from './records.js';
import { NAME, portsProblem, readAddresses } from './specs.js';

export type RulePlace = 'cluster' | 'group' | 'host' | 'vm';

export interface RuleContext {
  readonly place: RulePlace;
  readonly own: FirewallRecord;
  readonly cluster: FirewallRecord;
}

const TYPES: Readonly<Record<RulePlace, readonly string[]>> = {
  vm: ['in', 'out', 'group'],
  group: ['in', 'out', 'forward'],
  cluster: ['in', 'out', 'forward', 'group'],
  host: ['in', 'out', 'forward', 'group'],
};

/** Told what is wrong with which property: throws, or takes a note. */
type Report = (name: string, message: string) => void;

const refuse: Report = (name, message) => {
  throw PveError.parameter({ [name]: message });
};

/** The rule as it is kept: with the version of its addresses, and its macro as Proxmox writes it. */
export function verifyRule(rule: Rule, context: RuleContext): Rule {
  return checkRule(rule, context, refuse);
}

/**
 * What a rule that was right when it was written says of itself now: a set or alias may be gone since.
 * `undefined`: it is left out, as one that cannot be read.
 */
export function reviewRule(
  rule: Rule,
  context: RuleContext,
): (Rule & { errors?: Record<string, string> }) | undefined {
  const errors: Record<string, string> = {};
  try {
    const checked = checkRule(rule, context, (name, message) => {
      errors[name] ??= message;
    });
    return Object.keys(errors).length === 0 ? checked : Object.assign({ errors }, checked);
  } catch (error) {
    if (error instanceof PveError) return undefined;
    throw error;
  }
}

function checkRule(rule: Rule, context: RuleContext, report: Report): Rule {
  const text = (name: string) => String(rule[name] ?? '');
  checkAction(text('type'), text('action'), context.place, report);
  checkInterface(text('iface'), context.place, report);
  const macro = rule.macro === undefined ? undefined : macroNamed(text('macro'));
  if (rule.macro !== undefined && macro === undefined) report('macro', `unknown macro '${rule.macro}'`);
  checkProtocol(text('proto'), text('dport'), text('sport'), text('icmp-type'), report);
  let version: IpVersion | undefined =
    text('proto') === 'icmp' ? 4 : ['icmpv6', 'ipv6-icmp'].includes(text('proto')) ? 6 : undefined;
  const isMixed = (other: IpVersion | undefined) =>
    version !== undefined && other !== undefined && version !== other;
  for (const name of ['source', 'dest']) {
    if (rule[name] === undefined) continue;
    const { problem, version: listed } = readAddresses(text(name));
    if (problem !== undefined) report(name, problem);
    else if (isMixed(listed)) report(name, MIXED);
    else version ??= listed;
    const aliased = namedVersion(name, text(name), context, report);
    // Of an alias Proxmox says so without naming the property.
    if (isMixed(aliased)) throw new PveError(500, MIXED);
    version ??= aliased;
  }
  const { ipversion: _old, ...rest } = rule;
  return {
    ...rest,
    ...(macro === undefined ? {} : { macro }),
    ...(version === undefined ? {} : { ipversion: version }),
  };
}

const MIXED = 'detected mixed ipv4/ipv6 addresses in rule';

function checkAction(type: string, action: string, place: RulePlace, report: Report): void {
  if (type === '') report('type', 'missing property');
  if (action === '') report('action', 'missing property');
  if (!TYPES[place].includes(type)) report('type', `invalid rule type '${type}' for rule_env '${place}'`);
  if (type === 'group') {
    if (place === 'group') report('type', 'security groups not allowed');
    if (!new RegExp(`^${NAME}$`).test(action)) report('action', 'invalid characters in security group name');
    return;
  }
  if (type === 'forward' && action === 'REJECT') {
    report('action', 'cannot define REJECT rules on forward chain');
  }
  if (!['ACCEPT', 'DROP', 'REJECT'].includes(action)) report('action', `unknown action '${action}'`);
}

function checkInterface(iface: string, place: RulePlace, report: Report): void {
  if (iface === '') return;
  if (place === 'group') report('type', 'parameter -i not allowed for this rule type');
  if (!/^[a-z][a-z0-9_]{1,20}([:.]\d+)?$/i.test(iface)) {
    report('iface', `invalid network interface name '${iface}'`);
  }
  if (place === 'vm' && !/^net\d+$/.test(iface)) {
    report('iface', "value does not match the regex pattern 'net\\d+'");
  }
}

function checkProtocol(
  protocol: string,
  dport: string,
  sport: string,
  icmpType: string,
  report: Report,
): void {
  if (protocol !== '' && !isProtocol(protocol)) report('proto', `unknown protocol '${protocol}'`);
  checkPorts('dport', dport, protocol, report);
  if (icmpType !== '') {
    if (!isIcmp(protocol)) report('proto', "missing property - 'icmp-type' requires this property");
    if (dport !== '') report('icmp-type', "'icmp-type' cannot be specified together with 'dport'");
    const known = protocol === 'icmp' ? ICMP_TYPES : ICMPV6_TYPES;
    if (isIcmp(protocol) && !known.has(icmpType)) {
      report('icmp-type', `invalid icmp-type '${icmpType}' for proto '${protocol}'`);
    }
  }
  checkPorts('sport', sport, protocol, report);
}

function checkPorts(name: 'dport' | 'sport', ports: string, protocol: string, report: Report): void {
  if (ports === '') return;
  const icmp = name === 'dport' && isIcmp(protocol);
  const problem = portsProblem(ports, icmp);
  if (problem !== undefined) report(name, problem);
  if (protocol === '') report('proto', `missing property - '${name}' requires this property`);
  if (!hasPorts(protocol) && !icmp) report(name, `protocol '${protocol}' does not support ports`);
}

/** A set or alias must be there; where it is named `dc/x` or `guest/x`, it may still be found in the other place. */
function namedVersion(
  name: string,
  value: string,
  { own, cluster }: RuleContext,
  report: Report,
): IpVersion | undefined {
  if (value.startsWith('+')) {
    const set = new RegExp(`^\\+(guest/|dc/|sdn/)?(${NAME})$`).exec(value)?.[2];
    if (set === undefined) report(name, `invalid ipset name '${value}'`);
    else if (!own.ipsets[set] && !cluster.ipsets[set]) report(name, `no such ipset '${set}'`);
    return undefined;
  }
  const [, scope = '', alias] = new RegExp(`^(guest/|dc/)?(${NAME})$`).exec(value) ?? [];
  if (alias === undefined) return undefined;
  const key = alias.toLowerCase();
  if (!own.aliases[key] && !cluster.aliases[key]) report(name, `no such alias '${value}'`);
  const local = scope === 'dc/' ? undefined : own.aliases[key];
  const found = local ?? (scope === 'guest/' ? undefined : cluster.aliases[key]);
  return found && (found.cidr.includes(':') ? 6 : 4);
}
