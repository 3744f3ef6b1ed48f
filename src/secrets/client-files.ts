/** The two files that people and tools reach a cluster with: talosconfig and kubeconfig. */

import { stringify } from 'yaml';
import { OxherdError } from '../model/error.js';
import { readSecretYaml } from './secret-yaml.js';
import type { KeyPair, TalosSecrets } from './talos-secrets.js';

const yaml = (value: unknown): string => stringify(value, { compat: 'yaml-1.1', indent: 4, lineWidth: 0 });

interface TalosconfigInput {
  /** The context's name. */
  readonly cluster: string;
  /** Control planes, never the VIP: the VIP is gone when etcd is. */
  readonly endpoints: readonly string[];
  readonly nodes?: readonly string[];
  readonly client: KeyPair;
}

export function talosconfigText(secrets: TalosSecrets, input: TalosconfigInput): string {
  const { cluster, endpoints, nodes, client } = input;
  return yaml({
    context: cluster,
    contexts: {
      [cluster]: {
        endpoints: [...endpoints],
        ...(nodes && nodes.length > 0 ? { nodes: [...nodes] } : {}),
        ca: secrets.certs.os.crt,
        crt: client.crt,
        key: client.key,
      },
    },
  });
}

interface KubeconfigInput {
  readonly cluster: string;
  /** `https://host:port` */
  readonly server: string;
  readonly client: KeyPair;
}

export function kubeconfigText(secrets: TalosSecrets, { cluster, server, client }: KubeconfigInput): string {
  const user = `admin@${cluster}`;
  return yaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': secrets.certs.k8s.crt } }],
    contexts: [{ name: user, context: { cluster, namespace: 'default', user } }],
    'current-context': user,
    preferences: {},
    users: [{ name: user, user: { 'client-certificate-data': client.crt, 'client-key-data': client.key } }],
  });
}

/** Our context put into another talosconfig; contexts of other names stay. */
export function mergeTalosconfig(existing: string, ours: string, where: string): string {
  const base = mapping(existing, where);
  const added = mapping(ours, where);
  const contexts = { ...record(base.contexts), ...record(added.contexts) };
  return yaml({ ...base, context: added.context, contexts });
}

/** Our cluster, user and context put into another kubeconfig; entries of other names stay. */
export function mergeKubeconfig(existing: string, ours: string, where: string): string {
  const base = mapping(existing, where);
  const added = mapping(ours, where);
  const merged: Record<string, unknown> = { ...added, ...base, 'current-context': added['current-context'] };
  for (const key of ['clusters', 'contexts', 'users']) merged[key] = byName(base[key], added[key]);
  return yaml(merged);
}

function byName(existing: unknown, added: unknown): unknown[] {
  const entries = new Map<unknown, unknown>();
  for (const entry of [...list(existing), ...list(added)]) entries.set(record(entry).name, entry);
  return [...entries.values()];
}

function mapping(text: string, where: string): Record<string, unknown> {
  const refusal = (place: string) =>
    new OxherdError('secrets.merge', `${where} is not a mapping in YAML${place}`, {
      where,
      advice: 'Write to another file with --out, or repair this one.',
    });
  const value = readSecretYaml(text, (place) => refusal(` (${place})`)) ?? {};
  if (typeof value !== 'object' || Array.isArray(value)) throw refusal('');
  return { ...value };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
