/**
 * Hosts for nodes with `host: auto`. A node that is on an allowed host already stays there; the others are
 * placed one by one, control planes first: where memory suffices, apart from their own kind, so that the nodes of any one
 * host still fit on the others, on the host with the least load.
 */
import type { Config, NodeConfig } from '../config/config.js';
import { OxherdError } from '../model/error.js';
import { dataVmidOf, type Vmid } from '../model/identity.js';
import { compareText } from '../model/natural-order.js';
import { HostLoads, type HostMemory } from './host-loads.js';

/** Where VMs were found; a VM that is nowhere yet is not in it. */
export type ObservedHosts = ReadonlyMap<Vmid, string>;

/** The host of every node, by its vmid. */
export function placeNodes(
  config: Config,
  observed: ObservedHosts = new Map(),
  memory?: HostMemory,
): ReadonlyMap<Vmid, string> {
  const placed = new Map<Vmid, string>();
  const loads = new HostLoads(config, memory);
  const open: NodeConfig[] = [];
  for (const node of inPlacementOrder(config.nodes)) {
    const settled = settledHost(config, node, observed);
    if (settled === undefined) open.push(node);
    else {
      placed.set(node.vmid, settled);
      loads.add(settled, node);
    }
  }
  for (const node of open) {
    const host = loads.bestFor(node, hostChoices(config, node));
    placed.set(node.vmid, host);
    loads.add(host, node);
  }
  return placed;
}

/** By vmid, never by place in oxherd.yaml or by name: neither may move a VM. */
function inPlacementOrder(nodes: readonly NodeConfig[]): readonly NodeConfig[] {
  const rank = (node: NodeConfig) => (node.role === 'controlplane' ? 0 : 1);
  return [...nodes].sort((a, b) => rank(a) - rank(b) || a.vmid - b.vmid);
}

function settledHost(config: Config, node: NodeConfig, observed: ObservedHosts): string | undefined {
  if (node.host !== 'auto') return node.host;
  const dataVmid = dataVmidOf(node.vmid);
  // A creation that was cut off goes on where its first VM is.
  const current = observed.get(node.vmid) ?? (dataVmid === undefined ? undefined : observed.get(dataVmid));
  return current !== undefined && hostChoices(config, node).includes(current) ? current : undefined;
}

/** Where it may be. */
export function hostChoices(config: Config, node: NodeConfig): readonly string[] {
  const choices = node.hostChoices.length > 0 ? node.hostChoices : config.hosts.map((host) => host.name);
  if (choices.length === 0) {
    throw new OxherdError('design.no-hosts', `there is no host on which ${node.name} could be placed`, {
      where: node.name,
      advice: 'name the Proxmox hosts under `hosts:`, or give the node a `host`',
    });
  }
  return [...choices].sort(compareText);
}
