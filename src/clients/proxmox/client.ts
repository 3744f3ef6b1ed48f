/** Everything we ask of Proxmox VE, typed. The interlock stands in front of this interface. */
import type { WriteGate } from '../../model/write-gate.js';
import { type ApiSession, type ConnectOptions, openApiSession, trustIn } from './api-session.js';
import { type AccessCalls, accessCalls } from './calls/access.js';
import { type AgentCalls, agentCalls } from './calls/agent.js';
import { type BackupCalls, backupCalls } from './calls/backup.js';
import { type ClusterCalls, clusterCalls } from './calls/cluster.js';
import { type ContainerCalls, containerCalls } from './calls/containers.js';
import { type HaCalls, haCalls } from './calls/ha.js';
import { type HostCalls, hostCalls } from './calls/hosts.js';
import { type ResourceCalls, resourceCalls } from './calls/resources.js';
import { type StorageCalls, storageCalls } from './calls/storage.js';
import { type TaskCalls, taskCalls } from './calls/tasks.js';
import { type VmActionCalls, vmActionCalls } from './calls/vm-actions.js';
import { type VmCalls, vmCalls } from './calls/vms.js';
import { DiskOperations } from './disk-operations.js';
import type { TlsTrust } from './transport/tls.js';

export interface ProxmoxClient
  extends ClusterCalls,
    ResourceCalls,
    AgentCalls,
    HaCalls,
    HostCalls,
    VmCalls,
    VmActionCalls,
    ContainerCalls,
    StorageCalls,
    AccessCalls,
    BackupCalls,
    TaskCalls {
  readonly endpoints: readonly string[];
  /** `user@realm!id`, without the secret. */
  readonly tokenId: string;
  /** How the certificate of an endpoint is checked. */
  trust(endpoint: string): TlsTrust;
  close(): Promise<void>;
}

/** What `connectProxmox` opens. Steps get the client alone. */
export interface ProxmoxConnection extends ProxmoxClient {
  /** Over the same connections; every request that changes something passes the gate. */
  behind(gate: WriteGate): ProxmoxClient;
}

const DEFAULT_DISK_OPERATIONS = 8;

/** Nothing is sent before the first call. */
export function connectProxmox(options: ConnectOptions): ProxmoxConnection {
  const session = openApiSession(options);
  const disks = new DiskOperations(
    session,
    options.limits?.diskOperationsPerStorage ?? DEFAULT_DISK_OPERATIONS,
  );
  return {
    ...clientOver(session, disks, options),
    behind: (gate) => clientOver(session.behind(gate), disks, options),
  };
}

function clientOver(session: ApiSession, disks: DiskOperations, options: ConnectOptions): ProxmoxClient {
  return {
    endpoints: session.endpoints,
    tokenId: session.tokenId,
    trust: (endpoint) => trustIn(options, endpoint),
    close: () => session.close(),
    ...clusterCalls(session),
    ...resourceCalls(session),
    ...agentCalls(session),
    ...haCalls(session),
    ...hostCalls(session),
    ...vmCalls(session, disks),
    ...vmActionCalls(session, disks),
    ...containerCalls(session),
    ...storageCalls(session, disks),
    ...accessCalls(session),
    ...backupCalls(session),
    ...taskCalls(session, disks, options.random),
  };
}
