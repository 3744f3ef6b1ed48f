/** What rules say of where resources may run (pve-ha-manager, PVE/HA/Rules). */
import type { Pve } from '../api.js';
import { ruleErrors } from './feasibility.js';
import type { HaRule } from './state.js';

/** Rules that are enabled and can be kept. */
function activeRules(pve: Pick<Pve, 'db'>): HaRule[] {
  const rules = [...pve.db.haRules.values()];
  const errors = ruleErrors(rules, [...pve.db.hosts.values()].length);
  return rules.filter((rule) => !rule.disable && !errors.has(rule.rule));
}

function related(pve: Pick<Pve, 'db'>, sid: string, affinity: 'positive' | 'negative'): Set<string> {
  const found = new Set<string>();
  const queue = [sid];
  for (const next of queue) {
    for (const rule of activeRules(pve)) {
      if (rule.affinity !== affinity || !rule.resources.includes(next)) continue;
      for (const other of rule.resources) {
        if (other === sid || found.has(other)) continue;
        found.add(other);
        // Who is together with a friend is together with me; who is apart from an enemy need not be.
        if (affinity === 'positive') queue.push(other);
      }
    }
  }
  return found;
}

function managed(pve: Pick<Pve, 'db'>, sid: string): boolean {
  const service = pve.db.haServices.get(sid);
  return service !== undefined && service.state !== 'ignored';
}

/** Those that go along. */
export function dependentResources(pve: Pick<Pve, 'db'>, sid: string): string[] {
  return [...related(pve, sid, 'positive')].filter((other) => managed(pve, other)).sort();
}

/** Those that keep it away from a host. */
export function blockingResources(
  pve: Pick<Pve, 'db'>,
  sid: string,
  node: string,
): { sid: string; cause: string }[] {
  return [...related(pve, sid, 'negative')]
    .filter((other) => managed(pve, other))
    .filter((other) => {
      const service = pve.db.haServices.get(other);
      return service?.node === node && (service.target === undefined || service.target === node);
    })
    .sort()
    .map((other) => ({ sid: other, cause: 'resource-affinity' }));
}

/** Hosts by rank: those of a node-affinity rule first, by priority; with `strict` no others. */
function allowedNodes(pve: Pick<Pve, 'db'>, sid: string, online: readonly string[]): Map<string, number> {
  const rule = activeRules(pve).find((one) => one.type === 'node-affinity' && one.resources.includes(sid));
  const ranks = new Map<string, number>();
  for (const node of online) {
    const priority = rule?.nodes?.[node];
    if (priority !== undefined) ranks.set(node, priority);
    else if (!rule?.strict) ranks.set(node, rule ? -1 : 0);
  }
  return ranks;
}

/** The host where a resource should run; it stays where it is if nothing is better. */
export function selectNode(
  pve: Pick<Pve, 'db'>,
  sid: string,
  options: { online: readonly string[]; current?: string; avoid?: readonly string[]; mayReturn: boolean },
): string | undefined {
  const ranks = allowedNodes(pve, sid, options.online);
  for (const node of options.avoid ?? []) ranks.delete(node);
  const placeOf = (other: string) =>
    pve.db.haServices.get(other)?.target ?? pve.db.haServices.get(other)?.node;
  for (const other of related(pve, sid, 'negative')) {
    const place = managed(pve, other) ? placeOf(other) : undefined;
    if (place !== undefined) ranks.delete(place);
  }
  const friends = [...related(pve, sid, 'positive')].filter((other) => managed(pve, other)).map(placeOf);
  const together = [...ranks.keys()].filter((node) => friends.includes(node));
  const candidates = together.length > 0 ? together : [...ranks.keys()];
  const best = Math.max(...candidates.map((node) => ranks.get(node) ?? 0));
  const { current } = options;
  if (current !== undefined && candidates.includes(current)) {
    if (!options.mayReturn || (ranks.get(current) ?? 0) >= best) return current;
  }
  const load = (node: string) => [...pve.db.haServices.values()].filter((one) => one.node === node).length;
  return candidates
    .filter((node) => (ranks.get(node) ?? 0) === best)
    .sort((a, b) => load(a) - load(b) || (a < b ? -1 : 1))[0];
}
