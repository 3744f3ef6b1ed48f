/** `oxherd/proxmox`: a client for the Proxmox VE API. */

export { type Grant, grantCommands, grantsFor } from '../../formats/proxmox/grant.js';
export {
  type Answer,
  type ApiSession,
  type ConnectOptions,
  openApiSession,
  type RequestRecord,
} from './api-session.js';
export type * from './calls/access.js';
export type * from './calls/agent.js';
export type * from './calls/cluster.js';
export type * from './calls/ha.js';
export type * from './calls/hosts.js';
export type * from './calls/resources.js';
export type * from './calls/storage.js';
export type * from './calls/tasks.js';
export type * from './calls/vm-actions.js';
export type * from './calls/vms.js';
export { connectProxmox, type ProxmoxClient, type ProxmoxConnection } from './client.js';
export type { Method, Params } from './encode.js';
export { isProxmoxError, ProxmoxError, type ProxmoxErrorCode, type ProxmoxErrorFacts } from './errors.js';
export type { ProxmoxReads, ProxmoxWrites } from './reads-and-writes.js';
export { parseUpid, type TaskRef, type TaskResult, type TaskStatus, type WaitOptions } from './task.js';
export {
  inspectCertificate,
  isPinned,
  normalFingerprint,
  type PresentedCertificate,
  pinLine,
  type TlsTrust,
} from './transport/tls.js';
