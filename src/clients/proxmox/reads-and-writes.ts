/**
 * Which calls only read. Whatever is not listed here is a write: a method that is added to the client does not compile
 * behind the interlock and the write gate until both have decided what to do with it.
 */
import type { ProxmoxClient } from './client.js';

const READS = [
  'endpoints',
  'tokenId',
  'trust',
  'close',
  'version',
  'nodes',
  'clusterStatus',
  'clusterVotes',
  'vms',
  'permissions',
  'pciMappings',
  'replicationJobs',
  'backupJobs',
  'isFreeId',
  'haStates',
  'haResources',
  'haRules',
  'resources',
  'guestInterfaces',
  'nodeStatus',
  'nodeTime',
  'storages',
  'network',
  'bridges',
  'cpuModels',
  'vmPending',
  'vmConfig',
  'vmStatus',
  'vmStates',
  'snapshots',
  'containerPending',
  'containerSnapshot',
  'containerSnapshots',
  'containerStatus',
  'storageContent',
  'volumeInfo',
  'queryUrl',
  'pools',
  'pool',
  'roles',
  'users',
  'tokens',
  'acls',
  'taskStatus',
  'activeTasks',
  'endedTasks',
  'taskLog',
  'waitTask',
  // Sends nothing itself: what it starts is a write of its own.
  'runTask',
] as const satisfies readonly (keyof ProxmoxClient)[];

/** What changes nothing in Proxmox. */
export type ProxmoxReads = Pick<ProxmoxClient, (typeof READS)[number]>;
/** Everything else. */
export type ProxmoxWrites = Omit<ProxmoxClient, (typeof READS)[number]>;

/** The reads of a client and nothing else, for whoever puts its own writes in front. */
export function readsOf(client: ProxmoxClient): ProxmoxReads {
  const names: ReadonlySet<string> = new Set(READS);
  return Object.fromEntries(
    Object.entries(client).filter(([name]) => names.has(name)),
  ) as unknown as ProxmoxReads;
}
