/** A cluster without quorum: reads go on, writes of the cluster's configuration do not (recording `no-quorum`). */
import { type Pve, PveError } from './api.js';
import { errorText } from './task-error.js';

/** Milliseconds that a request waits for a lock of the cluster. */
const LOCK_WAIT = 10_000;

export function hostIsUp(pve: Pick<Pve, 'core'>, host: string): boolean {
  return !pve.core.faults.holds('host-down', host);
}

export function hasQuorum(pve: Pick<Pve, 'core' | 'db'>): boolean {
  if (pve.core.faults.holds('no-quorum')) return false;
  const hosts = [...pve.db.hosts.values()];
  const up = hosts.filter((host) => hostIsUp(pve, host.name)).length;
  return hosts.length < 2 || up * 2 > hosts.length;
}

export function requireQuorum(pve: Pick<Pve, 'core' | 'db'>): void {
  if (!hasQuorum(pve)) throw new PveError(500, 'cluster not ready - no quorum?');
}

type ClusterFile =
  | 'user_cfg'
  | 'storage_cfg'
  | 'jobs_cfg'
  | 'datacenter_cfg'
  | 'cpu-models_conf'
  | 'replication_cfg'
  | 'mapping_pci_cfg'
  | 'mapping_usb_cfg'
  | 'mapping_directory_cfg';

/** Changes a file of the cluster under its lock; what goes wrong is told with `prefix` in front. */
export async function withClusterLock<T>(
  pve: Pick<Pve, 'core' | 'db'>,
  file: ClusterFile,
  prefix: string,
  change: () => T,
): Promise<T> {
  const lead = prefix === '' ? '' : `${prefix}: `;
  if (!hasQuorum(pve)) {
    await pve.core.clock.sleep(LOCK_WAIT);
    if (!hasQuorum(pve)) throw new PveError(500, `${lead}cfs-lock 'file-${file}' error: no quorum!`);
  }
  try {
    return change();
  } catch (error) {
    if (error instanceof PveError && prefix !== '') throw new PveError(500, `${lead}${errorText(error)}`);
    throw error;
  }
}
