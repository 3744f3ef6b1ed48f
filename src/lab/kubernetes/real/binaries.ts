import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { OxherdError } from '../../../model/error.js';
import type { ControlProgram } from '../controllers/index.js';

export interface Binaries {
  readonly etcd: string;
  readonly apiServer: string;
  /** Those of the PATH; what is missing is the lab's own work. */
  readonly programs: Readonly<Partial<Record<ControlProgram, string>>>;
}

export const PROGRAMS: readonly ControlProgram[] = ['kube-controller-manager', 'kube-scheduler'];

/** The programs of `--kubernetes real`, or an error that says which are missing and how they are had. */
export function findBinaries(path: string): Binaries {
  const etcd = find('etcd', path);
  const apiServer = find('kube-apiserver', path);
  if (etcd !== undefined && apiServer !== undefined) {
    const programs: Partial<Record<ControlProgram, string>> = {};
    for (const name of PROGRAMS) {
      const file = find(name, path);
      if (file !== undefined) programs[name] = file;
    }
    return { etcd, apiServer, programs };
  }
  const missing = [
    ...(etcd === undefined ? ['etcd'] : []),
    ...(apiServer === undefined ? ['kube-apiserver'] : []),
  ];
  throw new OxherdError(
    'lab.kubernetes',
    `--kubernetes real needs ${missing.join(' and ')}, which ${missing.length > 1 ? 'are' : 'is'} not on the PATH`,
    {
      advice:
        'install etcd and kube-apiserver (both are in the envtest archives of the Kubernetes controller-tools releases: `setup-envtest use`, then put its folder on the PATH), or use the lab’s own API: leave out --kubernetes real, after oxherd lab reset if the lab was made with it',
    },
  );
}

function find(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}
