/** What happens when one host is gone: does etcd keep its quorum, and would its nodes fit on the others? */
import { type CapacityUser, type HostCapacity, wholeGib } from './usage.js';

export interface Failover {
  readonly host: string;
  /** Whether the control planes elsewhere are a majority. */
  readonly quorum: boolean;
  /** Control planes on it, of how many. */
  readonly controlPlanes: readonly [lost: number, all: number];
  /** Nodes whose memory is nowhere free; empty also where sizes are unknown. */
  readonly homeless: readonly { readonly name: string; readonly memory: number }[];
  /** Memory of its nodes that the others could not take. */
  readonly missing: number;
  readonly known: boolean;
}

/** What it means in words; `isBad`: the cluster would not get over it. */
export function failoverWords({ controlPlanes: [lost, all], quorum, known, homeless }: Failover): {
  readonly etcd: string;
  readonly room: string;
  readonly isBad: boolean;
} {
  const etcd =
    lost === 0
      ? 'no control plane lost'
      : `${lost} of ${all} control planes lost, ${quorum ? 'quorum kept' : 'quorum LOST'}`;
  const room = !known
    ? 'room elsewhere unknown'
    : homeless.length === 0
      ? 'its nodes fit elsewhere'
      : `${homeless.map((node) => `${node.name} (${wholeGib(node.memory)})`).join(', ')} fit nowhere else`;
  return { etcd, room, isBad: !quorum || homeless.length > 0 };
}

/** Nothing to say about a single host. */
export function failovers(hosts: readonly HostCapacity[]): readonly Failover[] {
  const carrying = hosts.filter((host) => host.users.some(isOurs));
  if (hosts.length < 2) return [];
  const all = hosts.flatMap((host) => host.users).filter((user) => user.kind === 'controlplane').length;
  return carrying.map((host) => failoverOf(host, hosts, all));
}

function failoverOf(host: HostCapacity, hosts: readonly HostCapacity[], all: number): Failover {
  const others = hosts.filter((other) => other.name !== host.name);
  const known = others.every((other) => other.left.memory !== undefined);
  const room = others.map((other) => Math.max(0, other.left.memory ?? 0));
  const nodes = host.users.filter(isOurs).sort((a, b) => b.memory - a.memory || compare(a.name, b.name));
  const homeless: { name: string; memory: number }[] = [];
  if (known) {
    for (const node of nodes) {
      // The largest first, each where it leaves the least: as many as possible find a place.
      const best = room
        .map((free, index) => ({ free, index }))
        .filter(({ free }) => free >= node.memory)
        .sort((a, b) => a.free - b.free || a.index - b.index)[0];
      if (best) room[best.index] = best.free - node.memory;
      else homeless.push({ name: node.name, memory: node.memory });
    }
  }
  const lost = nodes.filter((node) => node.kind === 'controlplane').length;
  return {
    host: host.name,
    quorum: lost === 0 || all - lost > all / 2,
    controlPlanes: [lost, all],
    homeless: homeless.sort((a, b) => compare(a.name, b.name)),
    missing: homeless.reduce((sum, node) => sum + node.memory, 0),
    known,
  };
}

function isOurs(user: CapacityUser): boolean {
  return user.kind === 'controlplane' || user.kind === 'worker';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
