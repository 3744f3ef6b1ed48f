/** Everything that the fleet needs on a Kubernetes cluster, as objects. `fleet install`, the plain manifests and the chart come from here. */
import type { KubernetesObject } from '../../clients/kubernetes/index.js';
import { customResourceDefinitions } from '../api/definitions.js';
import { approvalPolicy } from './approval-policy.js';
import { deployment, disruptionBudget, metricsService, networkPolicy, type PodValues } from './deployment.js';
import { namespaceAccess, ownAccess, peopleRoles } from './rbac.js';

export interface FleetValues extends PodValues {
  /** Namespaces with clusters. The controller reads secrets there and nowhere else but in its own. */
  readonly namespaces: readonly string[];
}

export const DEFAULT_VALUES: FleetValues = {
  namespace: 'oxherd-system',
  namespaces: ['oxherd-clusters'],
  image: 'ghcr.io/oxherd/oxherd:0.1.0',
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
