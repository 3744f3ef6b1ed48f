/** Rules that contradict each other or the size of the cluster (the checks of PVE/HA/Rules.pm and its plugins). */
import type { HaRule } from './state.js';

type RuleErrors = ReadonlyMap<string, readonly string[]>;

const shares = (a: HaRule, b: HaRule) => a.resources.filter((sid) => b.resources.includes(sid)).length;

/** By rule; disabled rules count for nothing. */
export function ruleErrors(all: readonly HaRule[], nodeCount: number): RuleErrors {
  const rules = all.filter((rule) => !rule.disable);
  const located = rules.filter((rule) => rule.type === 'node-affinity');
  const related = rules.filter((rule) => rule.type === 'resource-affinity');
  const positive = related.filter((rule) => rule.affinity === 'positive');
  const negative = related.filter((rule) => rule.affinity === 'negative');
  const errors = new Map<string, string[]>();
  const blame = (rule: HaRule, message: string) => {
    const known = errors.get(rule.rule) ?? [];
    if (!known.includes(message)) errors.set(rule.rule, [...known, message]);
  };
  usedTwice(located, blame);
  for (const rule of related) {
    if (rule.resources.length < 2) blame(rule, 'rule is ineffective as there are less than two resources');
  }
  for (const rule of negative) {
    if (rule.resources.length > nodeCount) blame(rule, 'rule defines more resources than available nodes');
  }
  for (const group of disjoint(positive)) {
    for (const apart of negative) {
      if (shares(group.all, apart) < 2) continue;
      blame(apart, 'rule shares two or more resources with a positive resource affinity rule');
      for (const rule of group.rules) {
        blame(rule, 'rule shares two or more resources with a negative resource affinity rule');
      }
    }
  }
  crossChecks(related, positive, negative, located, blame);
  return errors;
}

type Blame = (rule: HaRule, message: string) => void;

function usedTwice(located: readonly HaRule[], blame: Blame): void {
  for (const rule of located) {
    for (const sid of rule.resources) {
      const others = located.some((other) => other !== rule && other.resources.includes(sid));
      if (others) blame(rule, `resource '${sid}' is already used in another node affinity rule`);
    }
  }
}

/** Rules that share resources are as one. */
function disjoint(rules: readonly HaRule[]): { all: HaRule; rules: HaRule[] }[] {
  const groups: { all: HaRule; rules: HaRule[] }[] = [];
  for (const rule of rules) {
    const touched = groups.filter((group) => shares(group.all, rule) > 0);
    const resources = new Set([rule, ...touched.map(({ all }) => all)].flatMap((one) => one.resources));
    for (const group of touched) groups.splice(groups.indexOf(group), 1);
    groups.push({
      all: { ...rule, resources: [...resources] },
      rules: [...touched.flatMap((group) => group.rules), rule],
    });
  }
  return groups;
}

function crossChecks(
  related: readonly HaRule[],
  positive: readonly HaRule[],
  negative: readonly HaRule[],
  located: readonly HaRule[],
  blame: Blame,
): void {
  const paired = (rule: HaRule) => located.filter((other) => shares(rule, other) > 0);
  const manyPriorities = ({ nodes }: HaRule) => new Set(Object.values(nodes ?? {})).size > 1;
  for (const rule of related) {
    const others = paired(rule);
    if (!others.some(manyPriorities)) continue;
    blame(rule, 'resources are in node affinity rules with multiple priorities');
    for (const other of others) {
      blame(
        other,
        'resources are in a resource affinity rule and cannot be in a node affinity rule with multiple priorities',
      );
    }
  }
  for (const group of disjoint(positive)) {
    const others = paired(group.all);
    if (others.length < 2) continue;
    for (const rule of group.rules) blame(rule, 'resources are in multiple node affinity rules');
    for (const other of others) {
      blame(
        other,
        'at least one resource is in a positive resource affinity rule and there are other resources in at least one other node affinity rule already',
      );
    }
  }
  for (const rule of negative) {
    const strict = paired(rule).filter((other) => other.strict);
    const bound = new Set(
      strict.flatMap((other) => other.resources.filter((sid) => rule.resources.includes(sid))),
    );
    const nodes = new Set(strict.flatMap((other) => Object.keys(other.nodes ?? {})));
    if (bound.size < 2 || bound.size <= nodes.size) continue;
    blame(rule, 'two or more resources are restricted to less nodes than available to the resources');
    for (const other of strict) {
      blame(
        other,
        'at least one resource is in a negative resource affinity rule and this rule would restrict these to less nodes than available to the resources',
      );
    }
  }
}
