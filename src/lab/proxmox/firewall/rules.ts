/** Rules of a firewall or a security group: a list, the newest first. */
import { type Call, type Handlers, PveError } from '../api.js';
import { assertDigest, digestOfText } from '../section-config.js';
import { splitList } from '../validation/formats.js';
import type { FirewallRecord, Rule } from './records.js';
import { fileComment } from './stored.js';
import { type RuleContext, type RulePlace, reviewRule, verifyRule } from './verify-rule.js';

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
const OF_GROUPS = ['type', 'action', 'iface'];
const STORED = PROPERTIES.filter((name) => name !== 'pos' && name !== 'digest');

export function ruleHandlers(path: string, list: RuleList): Handlers {
  const context = (call: Call): RuleContext => ({
    place: list.place,
    own: list.own(call),
    cluster: list.cluster(call),
  });
  const verify = (call: Call, rule: Rule) => stored(verifyRule(rule, context(call)));
  return {
    [`GET ${path}`]: (call) => {
      const digest = digestOfText(list.read(call));
      return readable(list, call, context(call)).map(({ shown }, pos) => ({ ...shown, pos, digest }));
    },
    [`POST ${path}`]: (call) => {
      const rule = verify(call, withParameters({}, call));
      list.write(call, [{ enable: 0, ...rule }, ...list.read(call)]);
      return null;
    },
    [`GET ${path}/{pos}`]: (call) => {
      const { shown } = entryAt(call, readable(list, call, context(call)));
      // The position is given back as it was sent.
      return { ...shown, pos: call.text('pos'), digest: digestOfText(list.read(call)) };
    },
    [`PUT ${path}/{pos}`]: (call) => {
      assertDigest(call.text('digest'), digestOfText(list.read(call)));
      const entries = readable(list, call, context(call));
      const rules = entries.map(({ rule }) => rule);
      const { rule } = entryAt(call, entries);
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
      assertDigest(call.text('digest'), digestOfText(list.read(call)));
      const entries = readable(list, call, context(call));
      const { rule } = entryAt(call, entries);
      list.write(
        call,
        entries.map((entry) => entry.rule).filter((other) => other !== rule),
      );
      return null;
    },
  };
}

interface Entry {
  readonly rule: Rule;
  /** With what is wrong with it by now. */
  readonly shown: Rule & { errors?: Record<string, string> };
}

/** Rules that cannot be read any more are as if they were not there. */
function readable(list: RuleList, call: Call, context: RuleContext): Entry[] {
  return list.read(call).flatMap((rule) => {
    const shown = reviewRule(rule, context);
    return shown ? [{ rule, shown }] : [];
  });
}

function entryAt(call: Call, entries: readonly Entry[]): Entry {
  const entry = entries[call.number('pos') ?? 0];
  if (!entry) throw new PveError(500, `no rule at position ${call.text('pos')}`);
  return entry;
}

/** What a line of the file can hold: of a security group only its name, its interface and a comment. */
function stored(rule: Rule): Rule {
  const { comment, ...rest } = rule;
  const kept = Object.entries(rest).filter(
    ([name, value]) =>
      name !== 'enable' && value !== '0' && (rule.type !== 'group' || OF_GROUPS.includes(name)),
  );
  const enable = rule.enable === undefined ? {} : { enable: Number(rule.enable) === 0 ? 0 : 1 };
  return { ...Object.fromEntries(kept), ...enable, ...fileComment(comment) };
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
