export { connectKubernetes } from './client.js';
export { type Dial, KUBERNETES_API_PORT, type KubernetesCredentials } from './connection.js';
export {
  isKubernetesError,
  KubernetesError,
  type KubernetesErrorCode,
  type KubernetesStatus,
  type StatusCause,
} from './errors.js';
export * from './resources.js';
export {
  type ApplyOptions,
  type DeleteOptions,
  FIELD_MANAGER,
  type KubernetesClient,
  type KubernetesClientOptions,
  type KubernetesConnection,
  type ListOptions,
  type PatchKind,
  type WaitOptions,
} from './types.js';
export type { WatchEvent } from './watch.js';
