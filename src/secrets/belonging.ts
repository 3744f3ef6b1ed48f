/** Whether the secrets at hand are those of the cluster whose data was found. Asked before anything is touched. */

import { OxherdError } from '../model/error.js';
import { secretsFingerprint, type TalosSecrets } from './talos-secrets.js';

/** A trace that a cluster left: the fingerprint in the description of a VM. */
export interface ClusterTrace {
  readonly fingerprint: string;
  /** `data VM 1410 (cp-1-data)` */
  readonly where: string;
}

export function checkSecretsBelong(
  secrets: TalosSecrets | undefined,
  traces: readonly ClusterTrace[],
  secretsPath: string,
): void {
  const first = traces[0];
  if (!first) return;
  if (!secrets) {
    throw new OxherdError(
      'secrets.lost',
      `this cluster has data already (${first.where}), but its secrets are missing: ${secretsPath}`,
      {
        where: secretsPath,
        advice:
          'Restore the file from a backup, or take it from a running control plane while a talosconfig is valid: `oxherd secrets import --from-node ADDRESS`. New secrets cannot open an old cluster; `oxherd apply --fresh` starts a new one on its volumes.',
      },
    );
  }
  const ours = secretsFingerprint(secrets);
  const foreign = traces.filter((trace) => trace.fingerprint !== ours);
  if (foreign.length > 0) {
    throw new OxherdError(
      'secrets.mismatch',
      `${secretsPath} holds the secrets of another cluster than ${foreign.map((trace) => trace.where).join(', ')}`,
      {
        where: secretsPath,
        advice:
          'Put the right secrets file in place (from a backup, or with `oxherd secrets import --from-node ADDRESS` while a talosconfig is valid). Without it the data of etcd is lost: `oxherd apply --fresh` starts a new cluster on the old volumes.',
      },
    );
  }
}
