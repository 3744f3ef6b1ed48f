/** What all nodes of a role have in common is said once, in `defaults`; the config stays the same. */
import { isMapping, setOwn } from '../../formats/text/mapping.js';
import { machineKeys } from '../schema/machine.js';

/** Merged with the other levels instead of replacing them: these stay on the node. */
const MERGED = ['labels', 'startup', 'diskOptions'];
const HOISTED = Object.keys(machineKeys).filter((key) => !MERGED.includes(key));

export function hoistDefaults(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (!isMapping(raw.nodes)) return { ...raw };
  const nodes: Record<string, unknown> = { ...raw.nodes };
  const defaults: Record<string, unknown> = isMapping(raw.defaults) ? { ...raw.defaults } : {};
  for (const role of ['controlplane', 'worker'] as const) {
    const members = Object.entries(nodes).flatMap(([name, node]) =>
      isMapping(node) && node.role === role ? [{ name, node }] : [],
    );
    const [first] = members;
    if (!first || members.length < 2) continue;
    const own = isMapping(defaults[role]) ? defaults[role] : {};
    const common = HOISTED.filter((key) => {
      const text = JSON.stringify(first.node[key]);
      return text !== undefined && members.every(({ node }) => JSON.stringify(node[key]) === text);
    });
    if (common.length === 0) continue;
    // The node's value counts, so it also replaces what the role said before.
    defaults[role] = { ...own, ...pick(first.node, common) };
    for (const { name, node } of members) setOwn(nodes, name, without(node, common));
  }
  return { ...raw, ...(Object.keys(defaults).length > 0 && { defaults }), nodes };
}

function pick(from: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(keys.map((key) => [key, from[key]]));
}

function without(from: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(from).filter(([key]) => !keys.includes(key)));
}
