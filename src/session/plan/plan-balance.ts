/** Nodes that Proxmox could run better elsewhere: a plan of moves. */
import { balanceMoves } from '../../plan/capacity/balance.js';
import { hostMemory } from '../../plan/capacity/host-memory.js';
import { drainOf } from '../../plan/facts/drained-nodes.js';
import { nodeOn } from '../../plan/vms/node-host.js';
import type { Site } from '../connect/site.js';
import { lookAtHosts, planPlaced } from './plan-host.js';

export async function planBalance(site: Site) {
  const situation = await lookAtHosts(site);
  const { design, observed } = situation;
  const ours = new Set<number>(design.nodes.map(({ talosVm }) => talosVm.vmid));
  const memory = hostMemory(Object.values(observed.hosts), Object.values(observed.taken), ours);
  const stands = new Map(
    design.nodes
      // What a host in maintenance has sent away comes back by itself.
      .filter((node) => drainOf(node, observed) === undefined)
      .flatMap(({ name, talosVm }) => {
        const host = observed.vms[talosVm.vmid]?.host;
        return host === undefined ? [] : [[name, host] as const];
      }),
  );
  const moves = balanceMoves(site.config, memory, stands);
  const targets = new Map(moves.map(({ node, to }) => [node, to]));
  // From now on that is where automatic placement has them.
  const nodes = design.nodes.map((node) => nodeOn(node, targets.get(node.name) ?? node.host));
  return planPlaced(
    site,
    { ...situation, design: { ...design, nodes } },
    { targets, why: 'hosts are evened out' },
    { only: [...targets.keys()], found: { problems: [], notes: [] } },
  );
}
