/** PersistentVolumes that are lost with a host: disks of the CSI driver, and directories and disks of nodes that lose them. */
import { matchesTerms } from '../../formats/kubernetes/node-selector.js';
import type { Observed } from '../../observe/observed.js';
import { type KubeVolume, kubeNodeOf } from '../../observe/observed-kubernetes.js';

export interface GoneNode {
  readonly name: string;
  /** Whether what is kept at that path is lost; without one: any disk of the node. */
  readonly isLost: (path: string | undefined) => boolean;
}

export function lostClaims(
  observed: Observed,
  host: string,
  gone: readonly GoneNode[],
  isShared: (storage: string) => boolean,
): string[] {
  const volumes = observed.kubernetes?.volumes;
  if (volumes === undefined) return [];
  if (!volumes.known) return unreadClaims(gone);
  return volumes.value
    .filter(
      (volume) => isLostDisk(volume, host, isShared) || isOnGoneNodes(volume, nodesBy(observed, gone), gone),
    )
    .map(({ name, claim }) => (claim ? `${name} (claim ${claim.namespace}/${claim.name})` : name));
}

/** What cannot be read may be lost all the same, and is confirmed with the rest. */
function unreadClaims(gone: readonly GoneNode[]): string[] {
  const losing = gone.filter(({ isLost }) => isLost(undefined)).map(({ name }) => name);
  if (losing.length === 0) return [];
  return [
    `PersistentVolumes on disks of ${losing.join(', ')} (which ones is not known: Kubernetes does not answer)`,
  ];
}

/** Of the CSI driver: `region/zone/storage/disk`, the zone is the host. */
function isLostDisk({ handle }: KubeVolume, host: string, isShared: (storage: string) => boolean): boolean {
  const [, zone, storage] = handle?.split('/') ?? [];
  return zone === host && storage !== undefined && !isShared(storage);
}

interface LabelledNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Node objects by their names; of one that Kubernetes has forgotten already, what volumes are bound to is its name. */
function nodesBy(observed: Observed, gone: readonly GoneNode[]): Map<string, LabelledNode> {
  const known = observed.kubernetes?.nodes;
  const objects = known?.known ? known.value : [];
  const nodes = new Map(objects.map(({ name, labels = {} }) => [name, { name, labels }]));
  for (const { name } of gone) {
    const object = kubeNodeOf(name, objects);
    if (object) nodes.delete(object.name);
    const { labels = {} } = object ?? {};
    nodes.set(name, {
      name: object?.name ?? name,
      labels: { 'kubernetes.io/hostname': object?.name ?? name, ...labels },
    });
  }
  return nodes;
}

/** No node that keeps its disks may mount it. */
function isOnGoneNodes(
  { path, nodeTerms }: KubeVolume,
  nodes: ReadonlyMap<string, LabelledNode>,
  gone: readonly GoneNode[],
): boolean {
  if (nodeTerms === undefined) return false;
  // Of another driver: bound to a zone it may well be reachable from the whole of it.
  if (path === undefined && nodeTerms.some(isZoneAlone)) return false;
  const fitting = [...nodes].filter(([, node]) => matchesTerms(nodeTerms, node)).map(([name]) => name);
  return (
    fitting.length > 0 &&
    fitting.every((name) => gone.find((one) => one.name === name)?.isLost(path) === true)
  );
}

function isZoneAlone({ matchExpressions = [] }: NonNullable<KubeVolume['nodeTerms']>[number]): boolean {
  if (matchExpressions.length === 0) return false;
  return matchExpressions.every(({ key }) => /^(topology|failure-domain\.beta)\.kubernetes\.io\//.test(key));
}
