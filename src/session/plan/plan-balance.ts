/** Nodes that Proxmox could run better elsewhere: a plan of moves. */

import type { Design } from '../../design/design.js';
import { compareNaturally } from '../../model/natural-order.js';
import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import { balanceMoves } from '../../plan/capacity/balance.js';
import { hostMemory } from '../../plan/capacity/host-memory.js';
import { drainedHosts } from '../../plan/facts/drained-nodes.js';
import type { Problem } from '../../plan/plan.js';
import { nodeOn } from '../../plan/vms/node-host.js';
import type { Site } from '../connect/site.js';
import { lookAtHosts, planPlaced } from './plan-host.js';

export async function planBalance(site: Site) {
  const situation = await lookAtHosts(site);
  const { design, observed } = situation;
  const ours = new Set<number>(design.nodes.map(({ talosVm }) => talosVm.vmid));
  const states = observed.ha?.known ? observed.ha.value.hosts : {};
  // Nothing goes to a host that HA empties.
  const hosts = Object.values(observed.hosts).map((host) => ({
    ...host,
    online: host.online && states[host.name] !== 'maintenance',
  }));
  const memory = hostMemory(hosts, Object.values(observed.taken), ours);
  const problems = drainedNow(design, observed);
  const stands = new Map(
    design.nodes.flatMap(({ name, talosVm }) => {
      const host = visibleVm(observed, talosVm.vmid)?.host;
      return host === undefined ? [] : [[name, host] as const];
    }),
  );
  const moves = problems.length > 0 ? [] : balanceMoves(site.config, memory, stands);
  const targets = new Map(moves.map(({ node, to }) => [node, to]));
  // From now on that is where automatic placement has them.
  const nodes = design.nodes.map((node) => nodeOn(node, targets.get(node.name) ?? node.host));
  return planPlaced(
    site,
    { ...situation, design: { ...design, nodes } },
    { targets, why: 'hosts are evened out' },
    { only: [...targets.keys()], found: { problems, notes: [] } },
  );
}

/** What a host in maintenance has sent away comes back: until then it says nothing about how full hosts are. */
function drainedNow(design: Design, observed: Observed): Problem[] {
  return [...drainedHosts(design, observed)].sort(compareNaturally).map((host) => ({
    code: 'host-drained',
    scope: 'plan',
    message: `${host} is drained: hosts are evened out when its nodes are back`,
    advice: `bring them back first: oxherd host return ${host}`,
  }));
}
