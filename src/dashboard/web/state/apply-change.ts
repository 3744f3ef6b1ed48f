/** A view after a change: parts that are the same stay the same objects, so that nothing of them is drawn again. */
import type { NodePicture } from '../../../export/picture/picture.js';
import type { ClusterSummary, ClusterView, ListChange, ViewChange } from '../../api.js';

export function applyChange(view: ClusterView, summary: ClusterSummary, change: ViewChange): ClusterView {
  const { revision, head, pictures, nodes, hosts, conditions, layers, commands } = change;
  const drawn = changed(view.picture.hosts, pictures, ({ name }) => name);
  return {
    revision,
    summary,
    picture: head || drawn !== view.picture.hosts ? { ...view.picture, ...head, hosts: drawn } : view.picture,
    nodes: changed(view.nodes, nodes, ({ node }) => node),
    hosts: changed(view.hosts, hosts, ({ name }) => name),
    conditions: conditions ?? view.conditions,
    layers: layers ?? view.layers,
    commands: commands ?? view.commands,
  };
}

function changed<T>(
  before: readonly T[],
  change: ListChange<T> | undefined,
  name: (one: T) => string,
): readonly T[] {
  if (!change) return before;
  const items = new Map(change.items.map((one) => [name(one), one]));
  if (!change.order) return before.map((one) => items.get(name(one)) ?? one);
  const known = new Map(before.map((one) => [name(one), one]));
  return change.order.flatMap((key) => items.get(key) ?? known.get(key) ?? []);
}

/** Nodes that are drawn otherwise than before, or somewhere else. */
export function changedNodes(before: ClusterView, after: ClusterView): ReadonlySet<string> {
  const known = new Map<string, string>();
  const fresh = new Set<string>();
  const stays = new Set(before.picture.hosts);
  const differs = new Set(after.picture.hosts.filter((host) => !stays.has(host)).map(({ name }) => name));
  for (const { name, nodes } of before.picture.hosts)
    if (differs.has(name)) for (const node of nodes) known.set(`${name} ${node.name}`, textOf(node));
  for (const { name, nodes } of after.picture.hosts) {
    if (!differs.has(name)) continue;
    for (const node of nodes) if (known.get(`${name} ${node.name}`) !== textOf(node)) fresh.add(node.name);
  }
  return fresh;
}

/** What a person sees of a node on the map. */
function textOf({ state, health, etcd, change, movesTo, cpus, memory, vmid, role }: NodePicture): string {
  return [state, health, etcd, change, movesTo, cpus, memory, vmid, role].join(' ');
}
