/** Who goes first when nodes are taken away one after the other. */

import type { NodeDesign } from '../../design/design.js';
import { compareNaturally } from '../../model/natural-order.js';
import type { Observed } from '../../observe/observed.js';
import { kubeNodeOf } from '../../observe/observed-kubernetes.js';

/** What is away already goes first; then non-leaders, so that leadership moves once at most. */
export function rollOrder(
  nodes: readonly NodeDesign[],
  observed: Observed,
  workersFirst: boolean,
): NodeDesign[] {
  const leads = (node: NodeDesign): boolean => {
    const machine = observed.machines[node.name];
    const etcd = machine?.details.known ? machine.details.value.etcd : undefined;
    return etcd?.known === true && etcd.value.leader === etcd.value.memberId;
  };
  // One whose API server does not answer cannot lose it, and may be what this change puts right.
  const silent = (node: NodeDesign) =>
    node.role === 'controlplane' && observed.kubernetes?.endpoints[node.ip] === false;
  const worker = workersFirst ? -1 : 2;
  const rank = (node: NodeDesign) =>
    isAway(node, observed) || silent(node) ? -2 : node.role === 'worker' ? worker : leads(node) ? 1 : 0;
  return [...nodes].sort((a, b) => rank(a) - rank(b) || compareNaturally(a.name, b.name));
}

/** Nothing is lost by taking it first, and as long as it is away no other may go. */
function isAway(node: NodeDesign, observed: Observed): boolean {
  const nodes = observed.kubernetes?.nodes;
  const seen = nodes?.known ? kubeNodeOf(node.name, nodes.value) : undefined;
  return seen?.ready === false;
}
