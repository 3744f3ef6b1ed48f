/** What Talos would have the cluster's own pods run, and what they run. */
import type { KubernetesClient } from '../clients/kubernetes/client.js';
import { DAEMON_SETS, DEPLOYMENTS } from '../clients/kubernetes/resources.js';
import type { RunningTalos } from '../clients/talos/client.js';
import { readManifests } from './talos-manifests.js';

export interface SystemImage {
  /** `DaemonSet kube-proxy` */
  readonly object: string;
  readonly container: string;
  readonly wanted: string;
  readonly runs: string;
}

const NAMESPACE = 'kube-system';

export async function readSystemImages(
  talos: RunningTalos,
  kubernetes: KubernetesClient,
): Promise<readonly SystemImage[]> {
  const [manifests, daemonSets, deployments] = await Promise.all([
    readManifests(talos),
    kubernetes.list(DAEMON_SETS, { namespace: NAMESPACE }),
    kubernetes.list(DEPLOYMENTS, { namespace: NAMESPACE }),
  ]);
  const live = new Map([...imagesIn('DaemonSet', daemonSets), ...imagesIn('Deployment', deployments)]);
  return manifests
    .filter(
      ({ kind, metadata }) =>
        (kind === 'DaemonSet' || kind === 'Deployment') && metadata.namespace === NAMESPACE,
    )
    .flatMap((manifest) => [...imagesIn(manifest.kind, [manifest])])
    .flatMap(([key, wanted]) => {
      const [object = '', container = ''] = key.split('/');
      const runs = live.get(key);
      return runs === undefined ? [] : [{ object, container, wanted, runs }];
    });
}

/** `DaemonSet kube-proxy/kube-proxy` → image. */
function imagesIn(kind: string, objects: readonly object[]): [string, string][] {
  return objects.flatMap((object) => {
    const name = at(object, 'metadata', 'name');
    const containers = at(object, 'spec', 'template', 'spec', 'containers');
    if (typeof name !== 'string' || !Array.isArray(containers)) return [];
    return containers.map((container: unknown): [string, string] => [
      `${kind} ${name}/${String(at(container, 'name'))}`,
      String(at(container, 'image')),
    ]);
  });
}

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (here, key) =>
      typeof here === 'object' && here !== null
        ? Object.entries(here).find(([name]) => name === key)?.[1]
        : undefined,
    value,
  );
}
