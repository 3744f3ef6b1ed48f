/**
 * What Proxmox's HA manager is told. A node is two VMs that belong on one host: the Talos VM, kept started, and its data
 * VM, kept stopped, bound to it by a rule. HA never moves anything back by itself: where a node belongs, oxherd says.
 */
import type { Config, HaConfig } from '../config/config.js';
import { haRuleName } from '../formats/marks/cluster-names.js';
import { sha256Hex } from '../formats/text/hash.js';
import type { Design, HaDesign, NodeDesign } from './design.js';

type Rules = Record<string, HaDesign['rules'][string]>;

export function haOf(config: Config, nodes: readonly NodeDesign[]): Pick<Design, 'ha'> {
  const { cluster } = config;
  const chosen = nodes.flatMap((node) => {
    const ha = config.nodes.find(({ name }) => name === node.name)?.ha;
    return ha ? [{ node, ha }] : [];
  });
  if (chosen.length === 0) return {};
  const comment = haComment(config.cluster);
  const resources = Object.fromEntries(
    chosen.flatMap(({ node, ha }) => [
      [sidOf(node.talosVm.vmid), { state: ha.state, failback: '0', comment }] as const,
      ...(node.dataVm
        ? [[sidOf(node.dataVm.vmid), { state: 'stopped', failback: '0', comment }] as const]
        : []),
    ]),
  );
  const rules: Rules = {};
  for (const { node } of chosen) {
    if (!node.dataVm) continue;
    rules[haRuleName(cluster, `pair-${node.talosVm.vmid}`)] = {
      type: 'resource-affinity',
      settings: { affinity: 'positive', resources: sids([node]), comment },
    };
  }
  const apart = chosen.filter(({ node, ha }) => node.role === 'controlplane' && ha.spread);
  if (apart.length > 1) {
    const resources = apart.map(({ node }) => sidOf(node.talosVm.vmid)).sort();
    rules[haRuleName(cluster, 'spread')] = {
      type: 'resource-affinity',
      settings: { affinity: 'negative', resources: resources.join(','), comment },
    };
  }
  for (const [name, rule] of hostRules(chosen, comment)) rules[haRuleName(cluster, name)] = rule;
  return { ha: { nodes: chosen.map(({ node }) => node.name), resources, rules } };
}

/** One for all nodes that prefer the same hosts: a VM may be in one such rule alone. */
function hostRules(
  chosen: readonly { readonly node: NodeDesign; readonly ha: HaConfig }[],
  comment: string,
): [string, Rules[string]][] {
  const groups = new Map<string, { readonly ha: HaConfig; readonly nodes: NodeDesign[] }>();
  for (const { node, ha } of chosen) {
    if (ha.hosts.length === 0) continue;
    const key = `${ha.strict} ${ha.hosts.join(',')}`;
    const group = groups.get(key) ?? { ha, nodes: [] };
    groups.set(key, { ...group, nodes: [...group.nodes, node] });
  }
  return [...groups].map(([key, { ha, nodes }]) => [
    `hosts-${sha256Hex(key).slice(0, 8)}`,
    {
      type: 'node-affinity',
      settings: {
        nodes: ha.hosts.join(','),
        resources: sids(nodes),
        ...(ha.strict && { strict: '1' }),
        comment,
      },
    },
  ]);
}

/** Whose a resource is, its comment says. */
export function haComment({ name, env }: Config['cluster'] | Design['cluster']): string {
  return `kept by oxherd (${env === '' ? name : `${name}/${env}`})`;
}

export function sidOf(vmid: number): string {
  return `vm:${vmid}`;
}

function sids(nodes: readonly NodeDesign[]): string {
  return nodes
    .flatMap(({ talosVm, dataVm }) => [talosVm.vmid, ...(dataVm ? [dataVm.vmid] : [])])
    .map(sidOf)
    .sort()
    .join(',');
}
