/** What nodes ask of each host, how full that makes it, and whether the nodes of one that fails fit on the others. */
import type { Config, NodeConfig } from '../config/config.js';
import { compareText } from '../model/natural-order.js';

/** Bytes that VMs of this cluster may take on each host, as Proxmox says; 0: it is down. */
export type HostMemory = ReadonlyMap<string, number>;

interface Load {
  readonly nodes: readonly NodeConfig[];
  /** Bytes for our VMs; `undefined` where neither the config nor Proxmox says. */
  readonly capacity: number | undefined;
}

export class HostLoads {
  readonly #byHost = new Map<string, Load>();

  constructor(config: Config, memory?: HostMemory) {
    for (const host of config.hosts) {
      const reserved = host.reservations.reduce((sum, reservation) => sum + reservation.memory, 0);
      const said = host.memory === undefined ? undefined : Math.max(0, host.memory - reserved);
      const real = memory?.get(host.name);
      const capacity = said === undefined ? real : real === undefined ? said : Math.min(said, real);
      this.#byHost.set(host.name, { nodes: [], capacity });
    }
    for (const [name, capacity] of memory ?? [])
      if (!this.#byHost.has(name)) this.#byHost.set(name, { nodes: [], capacity });
  }

  add(host: string, node: NodeConfig): void {
    const load = this.#of(host);
    this.#byHost.set(host, { ...load, nodes: [...load.nodes, node] });
  }

  remove(host: string, node: NodeConfig): void {
    const load = this.#of(host);
    this.#byHost.set(host, { ...load, nodes: load.nodes.filter((other) => other !== node) });
  }

  bestFor(node: NodeConfig, hosts: readonly string[]): string {
    const comparable = hosts.every((host) => this.#of(host).capacity !== undefined);
    const ranked = hosts
      .map((host) => ({ host, rank: this.#rank(node, host, comparable) }))
      .sort((a, b) => compareRanks(a.rank, b.rank) || compareText(a.host, b.host));
    const best = ranked[0];
    if (best === undefined) throw new RangeError(`no host to choose from for ${node.name}`);
    return best.host;
  }

  /** Smaller is better, the first difference decides. */
  #rank(node: NodeConfig, host: string, comparable: boolean): readonly number[] {
    const load = this.#of(host);
    const after = memoryOf(load.nodes) + node.vm.memory;
    const fits = load.capacity === undefined || after <= load.capacity;
    // Shares compare only where every host's size is known; bytes do otherwise.
    const fullness = comparable && load.capacity ? after / load.capacity : after;
    const apart = node.role === 'controlplane' ? ofRole(load.nodes, 'controlplane') : 0;
    this.add(host, node);
    const missing = this.missingAfterLoss();
    this.remove(host, node);
    const cores = load.nodes.reduce((sum, { vm }) => sum + vm.cores * vm.sockets, 0);
    // With its memory overcommitted a host is no choice as long as there is another one.
    return [fits ? 0 : 1, apart, missing, fullness, ofRole(load.nodes, node.role), cores];
  }

  /** Memory of nodes that find no place when their host fails, over all hosts; 0 where sizes are unknown. */
  missingAfterLoss(): number {
    const loads = [...this.#byHost.values()];
    if (loads.length < 2 || loads.some(({ capacity }) => capacity === undefined)) return 0;
    return loads.reduce((sum, lost) => sum + homeless(lost, loads), 0);
  }

  /** How unevenly hosts are used: 0.25 is a quarter more of its memory on the fullest than on the emptiest. */
  unevenness(): number {
    const shares = [...this.#byHost.values()].flatMap(({ nodes, capacity }) =>
      capacity ? [memoryOf(nodes) / capacity] : [],
    );
    return shares.length < 2 ? 0 : Math.max(...shares) - Math.min(...shares);
  }

  /** Control planes beyond the first on each host. */
  crowded(): number {
    return [...this.#byHost.values()].reduce(
      (sum, { nodes }) => sum + Math.max(0, ofRole(nodes, 'controlplane') - 1),
      0,
    );
  }

  overcommitted(): number {
    return [...this.#byHost.values()].reduce(
      (sum, { nodes, capacity }) =>
        sum + Math.max(0, memoryOf(nodes) - (capacity ?? Number.POSITIVE_INFINITY)),
      0,
    );
  }

  #of(host: string): Load {
    return this.#byHost.get(host) ?? { nodes: [], capacity: undefined };
  }
}

/** The largest first, each where it leaves the least: as many as possible find a place. */
function homeless(lost: Load, loads: readonly Load[]): number {
  const room = loads
    .filter((load) => load !== lost)
    .map((load) => (load.capacity ?? 0) - memoryOf(load.nodes));
  let missing = 0;
  for (const { vm } of [...lost.nodes].sort((a, b) => b.vm.memory - a.vm.memory)) {
    const best = room
      .map((free, index) => ({ free, index }))
      .filter(({ free }) => free >= vm.memory)
      .sort((a, b) => a.free - b.free)[0];
    if (best) room[best.index] = best.free - vm.memory;
    else missing += vm.memory;
  }
  return missing;
}

function memoryOf(nodes: readonly NodeConfig[]): number {
  return nodes.reduce((sum, { vm }) => sum + vm.memory, 0);
}

function ofRole(nodes: readonly NodeConfig[], role: NodeConfig['role']): number {
  return nodes.filter((node) => node.role === role).length;
}

export function compareRanks(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
