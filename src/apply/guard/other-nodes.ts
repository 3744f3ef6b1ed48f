/** The disruption budget: how many of the other nodes are unavailable at this moment. */
import type { Node } from 'kubernetes-types/core/v1.js';
import type { KubernetesClient } from '../../clients/kubernetes/client.js';
import { NODES } from '../../clients/kubernetes/resources.js';
import { isNodeReady } from '../../observe/readiness.js';
import { pickNodeObject } from '../support/node-object.js';
import type { Refusal } from './refusal.js';

export interface BudgetedNode {
  readonly node?: string;
  /** Kubernetes knows it by this name until it is back with another. */
  readonly goesAs?: string;
  /** The other nodes of oxherd.yaml that are part of the cluster. */
  readonly others: readonly string[];
  /** Nodes among them that Kubernetes may still know by another name. */
  readonly formerNames?: Readonly<Record<string, string>>;
  /** How many nodes may be unavailable, this one included. */
  readonly maxAway: number;
}

/** `disrupted`: nodes that this run has been permitted to take down and that are not back yet. */
export async function budgetRefusal(
  going: BudgetedNode,
  disrupted: ReadonlySet<string>,
  kubernetes: KubernetesClient,
): Promise<Refusal | undefined> {
  const nodes = await kubernetes.list(NODES);
  // A node that is unavailable already costs nothing more.
  if (!isAvailable(going.goesAs ?? going.node ?? '', nodes)) return undefined;
  const away = going.others.filter((name) => disrupted.has(name) || !isAnyAvailable(name, going, nodes));
  if (away.length < going.maxAway) return undefined;
  const lost = away.filter((name) => isMissing(name, going, nodes));
  const most = going.maxAway === 1 ? 'one node' : `${going.maxAway} nodes`;
  return {
    code: 'guard.away',
    why: `${away.join(', ')} ${away.length === 1 ? 'is' : 'are'} not Ready, and ${most} may be unavailable at a time${
      lost.length > 0 ? ` (Kubernetes has no Node object of ${lost.join(', ')})` : ''
    }`,
    advice: 'repair it first, or remove it from oxherd.yaml; see `oxherd status`',
  };
}

function isAnyAvailable(name: string, { formerNames }: BudgetedNode, nodes: readonly Node[]): boolean {
  const former = formerNames?.[name];
  return isAvailable(name, nodes) || (former !== undefined && isAvailable(former, nodes));
}

function isMissing(name: string, { formerNames }: BudgetedNode, nodes: readonly Node[]): boolean {
  return [name, formerNames?.[name] ?? name].every((one) => pickNodeObject(one, nodes) === undefined);
}

/** A node that Kubernetes does not list is as unavailable as one that is not Ready: cloud controllers delete those. */
function isAvailable(name: string, nodes: readonly Node[]): boolean {
  return isNodeReady(pickNodeObject(name, nodes));
}
