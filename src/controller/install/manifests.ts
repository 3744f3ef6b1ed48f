/** Everything that the fleet needs on a Kubernetes cluster, as objects. `fleet install` and the chart come from here. */
import type { KubernetesObject } from '../../clients/kubernetes/index.js';
import { customResourceDefinitions } from '../api/definitions.js';
import { approvalPolicy } from './approval-policy.js';
import { deployment, disruptionBudget, metricsService, networkPolicy, type PodValues } from './deployment.js';
import type { PinnedImage } from './pinned-image.js';
import { namespaceAccess, ownAccess, peopleRoles } from './rbac.js';

export interface FleetValues extends PodValues {
  /** Namespaces with clusters. The controller reads secrets there and nowhere else but in its own. */
  readonly namespaces: readonly string[];
  readonly image: PinnedImage;
}

/** The image has no default: whoever installs the fleet names one by its digest. */
export const DEFAULT_VALUES: Omit<FleetValues, 'image'> = {
  namespace: 'oxherd-system',
  namespaces: ['oxherd-clusters'],
  replicas: 2,
  leaseDuration: '15s',
};

/** In an order in which they can be applied. */
export function fleetManifests(values: FleetValues): KubernetesObject[] {
  return [
    ...customResourceDefinitions(),
    ...[...new Set([values.namespace, ...values.namespaces])].map(namespaceObject),
    ...sharedManifests(values),
    ...values.namespaces.flatMap((name) => namespaceAccess(name, values.namespace)),
  ];
}

/** Without definitions, and without what there is of each namespace. */
export function sharedManifests(
  values: (PodValues & { readonly namespaceList: string }) | FleetValues,
): KubernetesObject[] {
  const namespaceList = 'namespaceList' in values ? values.namespaceList : values.namespaces.join(',');
  return [
    ...ownAccess(values.namespace),
    ...peopleRoles(),
    ...approvalPolicy(),
    deployment(values, namespaceList),
    disruptionBudget(values),
    metricsService(values),
    networkPolicy(values),
  ];
}

export function namespaceObject(name: string): KubernetesObject {
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } };
}
