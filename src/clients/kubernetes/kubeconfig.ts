/** Where an API server is and who asks, from a kubeconfig or from what a pod is given. */
import { existsSync, readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isMapping } from '../../formats/text/mapping.js';
import { readYaml } from '../../formats/text/yaml-text.js';
import { KUBERNETES_API_PORT, type KubernetesCredentials } from './connection.js';
import { KubernetesError } from './errors.js';

export interface KubernetesAccess {
  readonly endpoints: readonly string[];
  readonly basePath?: string;
  readonly credentials: KubernetesCredentials;
  /** Of the context, or of the pod; `default` where neither says. */
  readonly namespace: string;
}

const POD_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';

/** `undefined`: this process does not run in a pod that may ask the API. */
export function podAccess(
  env: Readonly<Record<string, string | undefined>>,
  folder = POD_FOLDER,
): KubernetesAccess | undefined {
  const host = env.KUBERNETES_SERVICE_HOST;
  const token = resolve(folder, 'token');
  if (host === undefined || host === '' || !existsSync(token)) return undefined;
  const port = env.KUBERNETES_SERVICE_PORT ?? String(KUBERNETES_API_PORT);
  return {
    endpoints: [host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`],
    credentials: { ca: readFileSync(resolve(folder, 'ca.crt'), 'utf8'), token: tokenFile(token) },
    namespace: textOr(readFileSync(resolve(folder, 'namespace'), 'utf8').trim(), 'default'),
  };
}

/** Of the current context, or of the one that is named. Paths in it start from its folder. */
export function kubeconfigAccess(path: string, context?: string): KubernetesAccess {
  const file = parsed(path);
  const name = context ?? text(file['current-context']);
  const chosen = entry(file, path, 'contexts', name, 'context');
  const cluster = entry(file, path, 'clusters', text(chosen.cluster), 'cluster');
  const user = entry(file, path, 'users', text(chosen.user), 'user');
  const data = (from: Record<string, unknown>, key: string): string | undefined => {
    if (typeof from[`${key}-data`] === 'string')
      return Buffer.from(text(from[`${key}-data`]), 'base64').toString('utf8');
    return typeof from[key] === 'string'
      ? readFileSync(resolve(dirname(path), text(from[key])), 'utf8')
      : undefined;
  };
  const server = text(cluster.server);
  const ca = data(cluster, 'certificate-authority');
  if (!server.startsWith('https://') || ca === undefined)
    throw unusable(path, `its cluster ${text(chosen.cluster)} has no https server with a CA certificate`);
  return {
    endpoints: [withDefaultPort(server)],
    ...basePathOf(server),
    credentials: { ca, ...identity(user, data, path) },
    namespace: textOr(text(chosen.namespace), 'default'),
  };
}

function identity(
  user: Record<string, unknown>,
  data: (from: Record<string, unknown>, key: string) => string | undefined,
  path: string,
): { certificate: string; key: string } | { token: () => string } {
  const certificate = data(user, 'client-certificate');
  const key = data(user, 'client-key');
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  if (typeof user.tokenFile === 'string') return { token: tokenFile(resolve(dirname(path), user.tokenFile)) };
  if (typeof user.token === 'string') {
    const { token } = user;
    return { token: () => token };
  }
  throw unusable(path, 'its user has neither a client certificate nor a token (exec plugins are not run)');
}

/** Read for each request: it is small, and the kubelet replaces it. */
function tokenFile(path: string): () => string {
  return () => readFileSync(path, 'utf8').trim();
}

/** Rancher and other proxies serve an API server below a path. */
function basePathOf(server: string): { readonly basePath?: string } {
  const path = new URL(server).pathname.replace(/\/+$/, '');
  return path === '' ? {} : { basePath: path };
}

/** A URL without a port is 443, where our own endpoints without one are 6443. */
function withDefaultPort(server: string): string {
  const { hostname, port } = new URL(server);
  return `${hostname}:${port === '' ? '443' : port}`;
}

function parsed(path: string): Record<string, unknown> {
  try {
    const value: unknown = readYaml(readFileSync(path, 'utf8'));
    if (isMapping(value)) return { ...value };
  } catch (cause) {
    throw unusable(path, 'it cannot be read', cause);
  }
  throw unusable(path, 'it is not a kubeconfig');
}

function entry(
  file: Record<string, unknown>,
  path: string,
  list: string,
  name: string,
  key: string,
): Record<string, unknown> {
  const entries = Array.isArray(file[list]) ? file[list].filter(isMapping) : [];
  const value = entries.find((one) => one.name === name)?.[key];
  if (isMapping(value)) return { ...value };
  throw unusable(path, `it has no ${key} ${name === '' ? '(none is current)' : name}`);
}

function unusable(path: string, why: string, cause?: unknown): KubernetesError {
  return new KubernetesError('kubernetes.unreachable', `the kubeconfig cannot be used: ${why}`, {
    where: path,
    advice: 'name another one with --kubeconfig, or another context with --context',
    cause,
  });
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textOr(value: string, otherwise: string): string {
  return value === '' ? otherwise : value;
}
