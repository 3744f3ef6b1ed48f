/** A cluster without quorum: reads go on, writes of the cluster's configuration do not (recording `no-quorum`). */
import { type Pve, PveError } from './api.js';
import { errorText } from './tasks/task-error.js';

/** Milliseconds that a request waits for a lock of the cluster. */
const LOCK_WAIT = 10_000;

/** As seen from the host that was asked, where a partition makes that a difference. */
type View = Pick<Pve, 'core'> & { readonly at?: string };

export function hostIsUp({ core: { faults }, at }: View, host: string): boolean {
  if (faults.holds('host-down', host)) return false;
  return at === undefined || faults.holds('partition', at) === faults.holds('partition', host);
}

export function hasQuorum(pve: View & Pick<Pve, 'db'>): boolean {
  if (pve.core.faults.holds('no-quorum')) return false;
  return votesSuffice(pve) || pve.core.faults.holds('expected-one');
}

function votesSuffice(pve: View & Pick<Pve, 'db'>): boolean {
  const hosts = [...pve.db.hosts.values()];
  const up = hosts.filter((host) => hostIsUp(pve, host.name)).length;
  return hosts.length < 2 || up * 2 > hosts.length;
}

/** What pages say of it: after `pvecm expected 1` they stay as they were (recording node-states). */
export function looksQuorate(pve: View & Pick<Pve, 'db'>): boolean {
  return !pve.core.faults.holds('no-quorum') && votesSuffice(pve);
}

export function requireQuorum(pve: View & Pick<Pve, 'db'>): void {
  if (!hasQuorum(pve)) throw new PveError(500, 'cluster not ready - no quorum?');
}

type ClusterFile =
  | 'user_cfg'
  | 'domains_cfg'
  | 'status_cfg'
  | 'sdn'
  | 'storage_cfg'
  | 'jobs_cfg'
  | 'datacenter_cfg'
  | 'cpu-models_conf'
  | 'replication_cfg'
  | 'mapping_pci_cfg'
  | 'mapping_usb_cfg'
  | 'mapping_directory_cfg'
  | 'priv_acme_plugins_cfg';

/** Changes a file of the cluster under its lock; what goes wrong is told with `prefix` in front. */
export async function withClusterLock<T>(
  pve: View & Pick<Pve, 'db'>,
  file: ClusterFile,
  prefix: string,
  change: () => T,
): Promise<T> {
  const lead = prefix === '' ? '' : `${prefix}: `;
  if (!hasQuorum(pve)) {
    await pve.core.clock.sleep(LOCK_WAIT);
    if (!hasQuorum(pve))
      throw new PveError(
        500,
        `${lead}cfs-lock '${file === 'sdn' ? 'domain' : 'file'}-${file}' error: no quorum!`,
      );
  }
  try {
    return change();
  } catch (error) {
    if (error instanceof PveError && prefix !== '') throw new PveError(500, `${lead}${errorText(error)}`);
    throw error;
  }
}
