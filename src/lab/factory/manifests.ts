import { stringify } from 'yaml';

type Tree = Readonly<Record<string, unknown>>;

/** Hosts that install manifests are downloaded from; the lab answers in their place. */
export const MANIFEST_HOSTS = ['github.com', 'raw.githubusercontent.com'] as const;

/** Install manifests of Flux and Argo CD, with kinds that take everything and pods that do nothing. */
export function installManifest(path: string): string | undefined {
  const flux = /^\/fluxcd\/flux2\/releases\/download\/(v[^/]+)\/install\.yaml$/.exec(path)?.[1];
  const argo = /^\/argoproj\/argo-cd\/(v[^/]+)\/manifests\/install\.yaml$/.exec(path)?.[1];
  if (flux !== undefined) return text(fluxObjects(flux));
  return argo === undefined ? undefined : text(argoObjects(argo));
}

function text(objects: readonly Tree[]): string {
  return objects.map((object) => stringify(object)).join('---\n');
}

function fluxObjects(version: string): Tree[] {
  const namespace = 'flux-system';
  return [
    {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/warn': 'restricted' } },
    },
    definition('source.toolkit.fluxcd.io', 'v1', 'GitRepository', 'gitrepositories'),
    definition('kustomize.toolkit.fluxcd.io', 'v1', 'Kustomization', 'kustomizations'),
    ...['source-controller', 'kustomize-controller', 'helm-controller', 'notification-controller'].map(
      (name) => workload('Deployment', name, `ghcr.io/fluxcd/${name}:${version}`, { namespace }),
    ),
  ];
}

/** As upstream's, without a namespace: `kubectl -n argocd` brings it. */
function argoObjects(version: string): Tree[] {
  const image = `quay.io/argoproj/argocd:${version}`;
  const hosts = 'argocd-ssh-known-hosts-cm';
  return [
    definition('argoproj.io', 'v1alpha1', 'Application', 'applications', {}),
    definition('argoproj.io', 'v1alpha1', 'AppProject', 'appprojects', {}),
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: hosts, labels: { 'app.kubernetes.io/part-of': 'argocd' } },
      data: { ssh_known_hosts: '# hosts that Argo CD knows\n' },
    },
    workload('Deployment', 'argocd-repo-server', image),
    workload('Deployment', 'argocd-server', image),
    workload('StatefulSet', 'argocd-application-controller', image),
  ];
}

function definition(
  group: string,
  version: string,
  kind: string,
  plural: string,
  subresources: Tree = { status: {} },
): Tree {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec: open, status: open } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources,
          schema: { openAPIV3Schema },
        },
      ],
    },
  };
}

function workload(kind: string, name: string, image: string, metadata: Tree = {}): Tree {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, ...metadata },
    spec: {
      replicas: 1,
      ...(kind === 'StatefulSet' && { serviceName: name }),
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'manager', image }] } },
    },
  };
}
