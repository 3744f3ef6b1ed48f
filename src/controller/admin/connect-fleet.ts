/** The Kubernetes API that the fleet lives on: by kubeconfig, or as a pod of it. */
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { connectKubernetes, type KubernetesConnection } from '../../clients/kubernetes/index.js';
import { type KubernetesAccess, kubeconfigAccess, podAccess } from '../../clients/kubernetes/kubeconfig.js';
import type { Clock } from '../../model/clock.js';
import { OxherdError } from '../../model/error.js';

export interface FleetOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly kubeconfig?: string;
  readonly context?: string;
}

export interface FleetConnection {
  readonly client: KubernetesConnection;
  readonly access: KubernetesAccess;
}

export function connectFleet(options: FleetOptions, clock: Clock): FleetConnection {
  const access = accessOf(options);
  const { endpoints, credentials, basePath } = access;
  return {
    client: connectKubernetes({ clock, endpoints, credentials, ...(basePath !== undefined && { basePath }) }),
    access,
  };
}

function accessOf({ cwd, env, kubeconfig, context }: FleetOptions): KubernetesAccess {
  const named = kubeconfig ?? env.KUBECONFIG?.split(':')[0];
  if (named !== undefined && named !== '') return kubeconfigAccess(resolve(cwd, named), context);
  const pod = podAccess(env);
  if (pod) return pod;
  const usual = join(env.HOME ?? homedir(), '.kube', 'config');
  if (existsSync(usual)) return kubeconfigAccess(usual, context);
  throw new OxherdError('fleet.no-kubernetes', 'no Kubernetes API is named, and this is not a pod of one', {
    advice: 'name a kubeconfig with --kubeconfig FILE, or in KUBECONFIG',
  });
}
