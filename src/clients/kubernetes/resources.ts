/** The resources oxherd reads and writes, typed; any other is found by the server's discovery. */
import type { CustomResourceDefinition } from 'kubernetes-types/apiextensions/v1.js';
import type { DaemonSet, Deployment, StatefulSet } from 'kubernetes-types/apps/v1.js';
import type { Job } from 'kubernetes-types/batch/v1.js';
import type {
  ConfigMap,
  Event,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  Secret,
  Service,
  ServiceAccount,
} from 'kubernetes-types/core/v1.js';
import type { ObjectMeta } from 'kubernetes-types/meta/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';
import type { ClusterRole, ClusterRoleBinding } from 'kubernetes-types/rbac/v1.js';
import type { CSINode, StorageClass, VolumeAttachment } from 'kubernetes-types/storage/v1.js';

declare const shape: unique symbol;

export interface Resource<T> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Only for the type checker. */
  readonly [shape]?: T;
}

/** The least every object has. */
export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta & { readonly name: string };
}

function clustered<T>(apiVersion: string, kind: string, plural = `${kind.toLowerCase()}s`): Resource<T> {
  return { apiVersion, kind, plural, namespaced: false };
}

function namespaced<T>(apiVersion: string, kind: string, plural = `${kind.toLowerCase()}s`): Resource<T> {
  return { apiVersion, kind, plural, namespaced: true };
}

const RBAC = 'rbac.authorization.k8s.io/v1';

export const NODES = clustered<Node>('v1', 'Node');
export const NAMESPACES = clustered<Namespace>('v1', 'Namespace');
export const PODS = namespaced<Pod>('v1', 'Pod');
export const SECRETS = namespaced<Secret>('v1', 'Secret');
export const CONFIG_MAPS = namespaced<ConfigMap>('v1', 'ConfigMap');
export const SERVICE_ACCOUNTS = namespaced<ServiceAccount>('v1', 'ServiceAccount');
export const SERVICES = namespaced<Service>('v1', 'Service');
export const EVENTS = namespaced<Event>('v1', 'Event');
export const PERSISTENT_VOLUMES = clustered<PersistentVolume>('v1', 'PersistentVolume');
export const PERSISTENT_VOLUME_CLAIMS = namespaced<PersistentVolumeClaim>('v1', 'PersistentVolumeClaim');
export const DEPLOYMENTS = namespaced<Deployment>('apps/v1', 'Deployment');
export const STATEFUL_SETS = namespaced<StatefulSet>('apps/v1', 'StatefulSet');
export const DAEMON_SETS = namespaced<DaemonSet>('apps/v1', 'DaemonSet');
export const JOBS = namespaced<Job>('batch/v1', 'Job');
export const POD_DISRUPTION_BUDGETS = namespaced<PodDisruptionBudget>('policy/v1', 'PodDisruptionBudget');
export const STORAGE_CLASSES = clustered<StorageClass>('storage.k8s.io/v1', 'StorageClass', 'storageclasses');
export const GATEWAY_CLASSES = clustered<KubernetesObject>(
  'gateway.networking.k8s.io/v1',
  'GatewayClass',
  'gatewayclasses',
);
export const CSI_NODES = clustered<CSINode>('storage.k8s.io/v1', 'CSINode');
export const VOLUME_ATTACHMENTS = clustered<VolumeAttachment>('storage.k8s.io/v1', 'VolumeAttachment');
export const CLUSTER_ROLES = clustered<ClusterRole>(RBAC, 'ClusterRole');
export const CLUSTER_ROLE_BINDINGS = clustered<ClusterRoleBinding>(RBAC, 'ClusterRoleBinding');
export const CUSTOM_RESOURCE_DEFINITIONS = clustered<CustomResourceDefinition>(
  'apiextensions.k8s.io/v1',
  'CustomResourceDefinition',
);

export const KNOWN_RESOURCES: readonly Resource<unknown>[] = [
  NODES,
  NAMESPACES,
  PODS,
  SECRETS,
  CONFIG_MAPS,
  SERVICE_ACCOUNTS,
  SERVICES,
  EVENTS,
  PERSISTENT_VOLUMES,
  PERSISTENT_VOLUME_CLAIMS,
  DEPLOYMENTS,
  STATEFUL_SETS,
  DAEMON_SETS,
  JOBS,
  POD_DISRUPTION_BUDGETS,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
  CLUSTER_ROLES,
  CLUSTER_ROLE_BINDINGS,
  CUSTOM_RESOURCE_DEFINITIONS,
];

/** `/api/v1/namespaces/x/pods/y`. A namespaced resource without a namespace is all of them. */
export function pathOf(resource: Resource<unknown>, namespace?: string, name?: string): string {
  const root = resource.apiVersion.includes('/')
    ? `/apis/${resource.apiVersion}`
    : `/api/${resource.apiVersion}`;
  const place = resource.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${place}/${resource.plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}
