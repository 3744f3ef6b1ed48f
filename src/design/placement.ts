/**
 * Hosts for nodes with `host: auto`. A node that is on an allowed host already stays there; the others are
 * placed one by one, control planes first: apart from their own kind, where memory suffices, on the host
 * with the least load.
 */
import type { Config, NodeConfig } from '../config/config.js';
import { OxherdError } from '../model/error.js';
import type { Vmid } from '../model/identity.js';
import { compareText } from './names.js';

/** Where VMs were found; a VM that is nowhere yet is not in it. */
export type ObservedHosts = ReadonlyMap<Vmid, string>;

interface Load {
  memory: number;
  cores: number;
  readonly nodes: Record<NodeConfig['role'], number>;
  /** Bytes for VMs; `undefined` where the config does not say. */
  readonly capacity: number | undefined;
}

/** The host of every node, by its vmid. */
export function placeNodes(config: Config, observed: ObservedHosts = new Map()): ReadonlyMap<Vmid, string> {
  const placed = new Map<Vmid, string>();
  const loads = new Loads(config);
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
    const host = loads.bestFor(node, choicesOf(config, node));
    placed.set(node.vmid, host);
    loads.add(host, node);
  }
  return placed;
}

/** By vmid, never by place in the file or by name: neither may move a VM. */
function inPlacementOrder(nodes: readonly NodeConfig[]): readonly NodeConfig[] {
  const rank = (node: NodeConfig) => (node.role === 'controlplane' ? 0 : 1);
  return [...nodes].sort((a, b) => rank(a) - rank(b) || a.vmid - b.vmid);
}

function settledHost(config: Config, node: NodeConfig, observed: ObservedHosts): string | undefined {
  if (node.host !== 'auto') return node.host;
  const current = observed.get(node.vmid);
  return current !== undefined && choicesOf(config, node).includes(current) ? current : undefined;
}

function choicesOf(config: Config, node: NodeConfig): readonly string[] {
  const choices = node.hostChoices.length > 0 ? node.hostChoices : config.hosts.map((host) => host.name);
  if (choices.length === 0) {
    throw new OxherdError('design.no-hosts', `there is no host on which ${node.name} could be placed`, {
      where: node.name,
      advice: 'name the Proxmox hosts under `hosts:`, or give the node a `host`',
    });
  }
  return [...choices].sort(compareText);
}

class Loads {
  private readonly byHost = new Map<string, Load>();

  constructor(config: Config) {
    for (const host of config.hosts) {
      const reserved = host.reservations.reduce((sum, reservation) => sum + reservation.memory, 0);
      this.byHost.set(host.name, {
        memory: 0,
        cores: 0,
        nodes: { controlplane: 0, worker: 0 },
        capacity: host.memory === undefined ? undefined : Math.max(0, host.memory - reserved),
      });
    }
  }

  add(host: string, node: NodeConfig): void {
    const load = this.of(host);
    load.memory += node.vm.memory;
    load.cores += node.vm.cores * node.vm.sockets;
    load.nodes[node.role] += 1;
  }

  bestFor(node: NodeConfig, hosts: readonly string[]): string {
    const comparable = hosts.every((host) => this.of(host).capacity !== undefined);
    const ranked = hosts
      .map((host) => ({ host, rank: this.rank(node, this.of(host), comparable) }))
      .sort((a, b) => compareRanks(a.rank, b.rank) || compareText(a.host, b.host));
    const best = ranked[0];
    if (best === undefined) throw new RangeError(`no host to choose from for ${node.name}`);
    return best.host;
  }

  /** Smaller is better, the first difference decides. */
  private rank(node: NodeConfig, load: Load, comparable: boolean): readonly number[] {
    const after = load.memory + node.vm.memory;
    const fits = load.capacity === undefined || after <= load.capacity;
    // Shares compare only where every host's size is known; bytes do otherwise.
    const fullness = comparable && load.capacity ? after / load.capacity : after;
    const apart = node.role === 'controlplane' ? load.nodes.controlplane : 0;
    // With its memory overcommitted a host is no choice as long as there is another one.
    return [fits ? 0 : 1, apart, fullness, load.nodes[node.role], load.cores];
  }

  private of(host: string): Load {
    const known = this.byHost.get(host);
    if (known) return known;
    const load: Load = { memory: 0, cores: 0, nodes: { controlplane: 0, worker: 0 }, capacity: undefined };
    this.byHost.set(host, load);
    return load;
  }
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
