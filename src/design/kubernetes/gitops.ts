/**
 * Flux or Argo CD: the install manifest of a release, applied by a step, and the objects that name the first repository.
 * The names differ from those of `flux bootstrap`, so that a repository which brings those too takes nothing from oxherd.
 */
import type { Config } from '../../config/config.js';
import type { FileText } from '../../config/config-values.js';
import type { GitopsConfig, GitopsEngine, GitopsSource } from '../../config/kubernetes-config.js';
import { sha256Hex } from '../../formats/text/hash.js';
import { canonicalJson } from '../canonical-json.js';
import { base64 } from './csi.js';
import { APPLIED, type KubeObject, MANAGED_BY } from './managed-object.js';

export interface GitopsDesign {
  readonly engine: GitopsEngine;
  /** `Flux`, `Argo CD` */
  readonly title: string;
  readonly namespace: string;
  readonly version: string;
  readonly manifest: { readonly url: string } | FileText;
  readonly sha256?: string;
  /** Objects of the manifest that oxherd writes itself: they are only created from it where they are missing. */
  readonly kept: readonly string[];
  /** Over engine, version and manifest; noted in the cluster once it runs. */
  readonly hash: string;
}

export interface GitopsSecrets {
  readonly key?: string;
  readonly password?: string;
}

export const GITOPS_ENGINES: Readonly<Record<GitopsEngine, { title: string; namespace: string }>> = {
  flux: { title: 'Flux', namespace: 'flux-system' },
  argocd: { title: 'Argo CD', namespace: 'argocd' },
};
/** ConfigMap in kube-system that says which engine and version oxherd has installed. */
export const GITOPS_NOTE = 'oxherd-gitops';
/** Secret, source and what is synchronised from it. */
const NAME = 'oxherd';
const KNOWN_HOSTS = 'argocd-ssh-known-hosts-cm';

export function gitopsDesign({ kubernetes: { gitops } }: Config): GitopsDesign | undefined {
  if (!gitops) return undefined;
  const { engine, version, manifest, sha256 } = gitops;
  const content = 'url' in manifest ? { url: manifest.url, sha256 } : { text: sha256Hex(manifest.text) };
  const kept = engine === 'argocd' && gitops.source.knownHosts ? [`ConfigMap ${KNOWN_HOSTS}`] : [];
  return {
    engine,
    ...GITOPS_ENGINES[engine],
    version,
    manifest,
    ...(sha256 !== undefined && { sha256 }),
    kept,
    hash: sha256Hex(canonicalJson([engine, version, content])).slice(0, 32),
  };
}

export function gitopsNote({ engine, version, hash }: GitopsDesign): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: GITOPS_NOTE,
      namespace: 'kube-system',
      labels: MANAGED_BY,
      annotations: { [APPLIED]: hash },
    },
    data: { engine, version },
  };
}

/** In the order in which they can be applied, once the engine is there. */
export function gitopsObjects({ kubernetes: { gitops } }: Config, secrets: GitopsSecrets): KubeObject[] {
  if (!gitops) return [];
  return gitops.engine === 'flux' ? fluxObjects(gitops, secrets) : argoObjects(gitops, secrets);
}

function hasLogin({ key, password }: GitopsSource): boolean {
  return key !== undefined || password !== undefined;
}

function secretOf(
  namespace: string,
  labels: Record<string, string>,
  data: Record<string, string>,
): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: NAME, namespace, ...(Object.keys(labels).length > 0 && { labels }) },
    type: 'Opaque',
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
  };
}

function fluxObjects({ source }: GitopsConfig, { key, password }: GitopsSecrets): KubeObject[] {
  const { namespace } = GITOPS_ENGINES.flux;
  const interval = `${Math.max(1, Math.round(source.intervalMs / 1000))}s`;
  const login = {
    ...(key !== undefined && { identity: `${key}\n`, known_hosts: source.knownHosts?.text ?? '' }),
    ...(password !== undefined && { username: source.username, password }),
  };
  const path = source.path === '.' ? './' : source.path.replace(/^(\.?\/)?/, './');
  return [
    ...(Object.keys(login).length > 0 ? [secretOf(namespace, {}, login)] : []),
    {
      apiVersion: 'source.toolkit.fluxcd.io/v1',
      kind: 'GitRepository',
      metadata: { name: NAME, namespace },
      spec: {
        interval,
        url: source.url,
        ref: { branch: source.branch },
        ...(hasLogin(source) && { secretRef: { name: NAME } }),
      },
    },
    {
      apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
      kind: 'Kustomization',
      metadata: { name: NAME, namespace },
      spec: {
        interval: '10m0s',
        path,
        prune: source.prune,
        sourceRef: { kind: 'GitRepository', name: NAME },
      },
    },
  ];
}

function argoObjects({ source }: GitopsConfig, { key, password }: GitopsSecrets): KubeObject[] {
  const { namespace } = GITOPS_ENGINES.argocd;
  const login = {
    type: 'git',
    url: source.url,
    ...(key !== undefined && { sshPrivateKey: `${key}\n` }),
    ...(password !== undefined && { username: source.username, password }),
  };
  const labels = { 'argocd.argoproj.io/secret-type': 'repository' };
  return [
    ...(key !== undefined || password !== undefined ? [secretOf(namespace, labels, login)] : []),
    ...(source.knownHosts ? [argoKnownHosts(namespace, source.knownHosts)] : []),
    {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: NAME, namespace },
      spec: {
        project: 'default',
        source: { repoURL: source.url, targetRevision: source.branch, path: source.path },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
        syncPolicy: {
          automated: { prune: source.prune, selfHeal: true },
          syncOptions: ['CreateNamespace=true', 'ServerSideApply=true'],
        },
      },
    },
  ];
}

/** In place of the list that Argo CD brings; as its own manifest labels it. */
function argoKnownHosts(namespace: string, { text }: FileText): KubeObject {
  const part = { 'app.kubernetes.io/name': KNOWN_HOSTS, 'app.kubernetes.io/part-of': 'argocd' };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: KNOWN_HOSTS, namespace, labels: part },
    data: { ssh_known_hosts: text },
  };
}
