/** Where the secrets of a cluster, and the files made from them, are kept. */

import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

export interface SecretsPlace {
  readonly path: string;
  /** Whether a file written there is encrypted; the lab needs no age key. */
  readonly encrypted: boolean;
  /** A plain file that is read where `path` is not there. */
  readonly alternative?: string;
}

interface PlaceInput {
  readonly cwd: string;
  /** As given on the command line: a file, or a folder. */
  readonly config: string;
  readonly lab: boolean;
  readonly cluster: ClusterName;
}

interface ClusterName {
  readonly name: string;
  readonly env: string;
}

export function secretsPlace({ cwd, config, lab, cluster }: PlaceInput): SecretsPlace {
  if (lab) return { path: join(clientFilesFolder({ cwd, lab }, cluster), 'secrets.yaml'), encrypted: false };
  const folder = configFolder(cwd, config);
  return {
    path: join(folder, 'secrets.sops.yaml'),
    encrypted: true,
    alternative: join(folder, 'secrets.yaml'),
  };
}

/**
 * `kubeconfig`, `talosconfig`, snapshots and notes of one cluster. What belongs to the lab lies below `.oxherd/lab`, so a
 * cluster that is tried there never touches the files of the real one. No DNS name has a `_`.
 */
export function clientFilesFolder(
  { cwd, lab }: { readonly cwd: string; readonly lab: boolean },
  { name, env }: ClusterName,
): string {
  return join(cwd, '.oxherd', ...(lab ? ['lab'] : []), env === '' ? name : `${name}_${env}`);
}

/** Journals: of all real clusters together, of each cluster of the lab with its other files. */
export function runsFolder(
  place: { readonly cwd: string; readonly lab: boolean },
  cluster: ClusterName,
): string {
  return place.lab ? join(clientFilesFolder(place, cluster), 'runs') : join(place.cwd, '.oxherd', 'runs');
}

function configFolder(cwd: string, config: string): string {
  const path = resolve(cwd, config);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
}
