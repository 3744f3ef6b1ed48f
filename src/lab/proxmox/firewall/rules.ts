/** Rules of a firewall or a security group: a list, the newest first. */
import { type Call, type Handlers, PveError } from '../api.js';
import { assertDigest, digestOfText } from '../section-config.js';
import { splitList } from '../validation/formats.js';
import type { FirewallRecord, Rule } from './records.js';
import { type RulePlace, verifyRule } from './verify-rule.js';

export interface RuleList {
  readonly place: RulePlace;
  read(call: Call): readonly Rule[];
  write(call: Call, rules: readonly Rule[]): void;
  own(call: Call): FirewallRecord;
  cluster(call: Call): FirewallRecord;
}

const PROPERTIES = [
  'pos',
  'action',
  'type',
  'digest',
  'iface',
  'macro',
  'source',
  'dest',
  'proto',
  'enable',
  'log',
  'sport',
  'dport',
  'comment',
  'icmp-type',
];
const STORED = PROPERTIES.filter((name) => name !== 'pos' && name !== 'digest');

export function ruleHandlers(path: string, list: RuleList): Handlers {
  const verify = (call: Call, rule: Rule) => verifyRule(rule, list.place, list.own(call), list.cluster(call));
  return {
    [`GET ${path}`]: (call) => {
      const rules = list.read(call);
      const digest = digestOfText(rules);
      return rules.map((rule, pos) => ({ ...rule, pos, digest }));
    },
    [`POST ${path}`]: (call) => {
      const rule = verify(call, withParameters({}, call));
      list.write(call, [{ enable: 0, ...rule }, ...list.read(call)]);
      return null;
    },
    [`GET ${path}/{pos}`]: (call) => {
      const rules = list.read(call);
      // The position is given back as it was sent.
      return { ...ruleAt(call, rules), pos: call.text('pos'), digest: digestOfText(rules) };
    },
    [`PUT ${path}/{pos}`]: (call) => {
      const rules = list.read(call);
      assertDigest(call.text('digest'), digestOfText(rules));
      const rule = ruleAt(call, rules);
      const from = call.number('pos') ?? 0;
      const to = call.number('moveto');
      const changed =
        to !== undefined && to !== from
          ? moved(rules, from, to)
          : rules.map((other) =>
              other === rule ? verify(call, withoutDeleted(withParameters(rule, call), call)) : other,
            );
      list.write(call, changed);
      return null;
    },
    [`DELETE ${path}/{pos}`]: (call) => {
      const rules = list.read(call);
      assertDigest(call.text('digest'), digestOfText(rules));
      const rule = ruleAt(call, rules);
      list.write(
        call,
        rules.filter((other) => other !== rule),
      );
      return null;
    },
  };
}

function ruleAt(call: Call, rules: readonly Rule[]): Rule {
  const rule = rules[call.number('pos') ?? 0];
  if (!rule) throw new PveError(500, `no rule at position ${call.text('pos')}`);
  return rule;
}

/** An empty value, or a dash, takes a property away. */
function withParameters(rule: Rule, call: Call): Rule {
  const result = { ...rule };
  for (const name of STORED) {
    const value = call.params[name];
    if (value === '' || value === '-') delete result[name];
    else if (value !== undefined) result[name] = value;
  }
  return result;
}

function withoutDeleted(rule: Rule, call: Call): Rule {
  const result = { ...rule };
  for (const name of splitList(call.text('delete') ?? '')) {
    if (!PROPERTIES.includes(name)) throw PveError.parameter({ delete: `no such property ('${name}')` });
    if (name === 'type' || name === 'action') {
      throw PveError.parameter({ delete: `unable to delete required property '${name}'` });
    }
    delete result[name];
  }
  return result;
}

/** Before the rule that is there now; past the end it goes last. */
function moved(rules: readonly Rule[], from: number, to: number): Rule[] {
  const result: Rule[] = [];
  const rule = rules[from];
  if (!rule) return [...rules];
  for (const [index, other] of rules.entries()) {
    if (index === from) continue;
    if (index === to) result.push(rule);
    result.push(other);
  }
  if (to >= rules.length) result.push(rule);
  return result;
}
