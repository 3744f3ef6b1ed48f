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

export interface PlaceInput {
  readonly cwd: string;
  /** As given on the command line: a file, or a folder. */
  readonly config: string;
  readonly lab: boolean;
}

export function secretsPlace({ cwd, config, lab }: PlaceInput): SecretsPlace {
  if (lab) return { path: join(cwd, '.oxherd', 'lab', 'secrets.yaml'), encrypted: false };
  const folder = configFolder(cwd, config);
  return {
    path: join(folder, 'secrets.sops.yaml'),
    encrypted: true,
    alternative: join(folder, 'secrets.yaml'),
  };
}

/** `kubeconfig` and `talosconfig` of one cluster. */
export function clientFilesFolder(
  cwd: string,
  cluster: { readonly name: string; readonly env: string },
): string {
  return join(cwd, '.oxherd', cluster.env === '' ? cluster.name : `${cluster.name}-${cluster.env}`);
}

function configFolder(cwd: string, config: string): string {
  const path = resolve(cwd, config);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : dirname(path);
}
