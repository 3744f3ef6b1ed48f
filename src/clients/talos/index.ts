export * from './client.js';
export {
  type Dial,
  readableKey,
  type TalosCredentials,
  type TalosTrust,
} from './connection.js';
export { TalosError, type TalosErrorCode } from './errors.js';
export type { EtcdMemberInfo, EtcdStatusInfo, TalosEtcd } from './etcd.js';
export { type Presence, probe, TALOS_API_PORT } from './probe.js';
export { RESOURCES, type ResourceEvent, type ResourceKind, type TalosResource } from './resources.js';
export { hasLifecycleService } from './upgrade.js';
