import { at, type Obj, objOf, textOf } from '../json.js';
import type { Outcome } from './containers.js';
import type { World } from './world.js';

const CILIUM_TIME = 20_000;
const EVERYWHERE = [{ operator: 'Exists' }];
const CLUSTER_WIDE = 'customresourcedefinitions.apiextensions.k8s.io';

/** `cilium install` or `cilium upgrade` of the cilium-cli image. */
export function isCiliumCommand(container: Obj, words: readonly string[]): boolean {
  return (
    textOf(container.image).includes('cilium-cli') &&
    words.some((word) => word === 'install' || word === 'upgrade')
  );
}

/** The stand-in for Cilium's installer: agent and operator of the asked version, no network behind them. */
export function ciliumCommand(world: World, words: readonly string[]): Outcome {
  const version = optionOf(words, '--version') ?? 'v1.18.7';
  const upgrade = words.includes('upgrade');
  if (upgrade && !world.find('daemonsets.apps', 'kube-system', 'cilium')) {
    const log = 'Error: Unable to upgrade Cilium: "cilium" has no deployed releases\n';
    return { kind: 'ends', after: 1_000, exitCode: 1, log };
  }
  return {
    kind: 'ends',
    after: CILIUM_TIME,
    exitCode: 0,
    log: `Using Cilium version ${version.replace(/^v/, '')}\n`,
    effect: () => {
      for (const [resource, object] of ciliumObjects(version)) put(world, resource, object);
    },
  };
}

function optionOf(words: readonly string[], option: string): string | undefined {
  const joined = words.find((word) => word.startsWith(`${option}=`));
  if (joined) return joined.slice(option.length + 1);
  const index = words.indexOf(option);
  return index < 0 ? undefined : words[index + 1];
}

function ciliumObjects(version: string): [string, Obj][] {
  const account = (name: string): [string, Obj] => ['serviceaccounts', { metadata: { name } }];
  const workload = (name: string, labels: Obj, image: string, more: Obj): Obj => ({
    metadata: { name, labels: { ...labels, 'app.kubernetes.io/part-of': 'cilium' } },
    spec: {
      selector: { matchLabels: labels },
      ...more,
      template: {
        metadata: { labels },
        spec: {
          hostNetwork: true,
          serviceAccountName: name,
          priorityClassName: 'system-node-critical',
          tolerations: EVERYWHERE,
          containers: [
            { name: name === 'cilium' ? 'cilium-agent' : name, image: `quay.io/cilium/${image}:${version}` },
          ],
        },
      },
    },
  });
  return [
    account('cilium'),
    account('cilium-operator'),
    ['configmaps', { metadata: { name: 'cilium-config' }, data: { 'kube-proxy-replacement': 'true' } }],
    ['daemonsets.apps', workload('cilium', { 'k8s-app': 'cilium' }, 'cilium', {})],
    [
      'deployments.apps',
      workload(
        'cilium-operator',
        { 'io.cilium/app': 'operator', name: 'cilium-operator' },
        'operator-generic',
        {
          replicas: 1,
        },
      ),
    ],
    ...[
      'ciliumnodes',
      'ciliumnetworkpolicies',
      'ciliumloadbalancerippools',
      'ciliuml2announcementpolicies',
    ].map((plural): [string, Obj] => [CLUSTER_WIDE, ciliumDefinition(plural)]),
  ];
}

const CILIUM_KINDS: Record<string, { kind: string; scope: string; versions: readonly string[] }> = {
  ciliumnodes: { kind: 'CiliumNode', scope: 'Cluster', versions: ['v2'] },
  ciliumnetworkpolicies: { kind: 'CiliumNetworkPolicy', scope: 'Namespaced', versions: ['v2'] },
  ciliumloadbalancerippools: {
    kind: 'CiliumLoadBalancerIPPool',
    scope: 'Cluster',
    versions: ['v2', 'v2alpha1'],
  },
  ciliuml2announcementpolicies: {
    kind: 'CiliumL2AnnouncementPolicy',
    scope: 'Cluster',
    versions: ['v2alpha1'],
  },
};

function ciliumDefinition(plural: string): Obj {
  const { kind, scope, versions } = CILIUM_KINDS[plural] ?? {
    kind: plural,
    scope: 'Cluster',
    versions: ['v2'],
  };
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    metadata: { name: `${plural}.cilium.io` },
    spec: {
      group: 'cilium.io',
      scope,
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: versions.map((name, index) => ({
        name,
        served: true,
        storage: index === 0,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
      })),
    },
  };
}

/** Creates an object of kube-system, or brings it to the new version. */
function put(world: World, resource: string, object: Obj): void {
  const namespace = resource === CLUSTER_WIDE ? undefined : 'kube-system';
  const old = world.find(resource, namespace, textOf(at(object, 'metadata', 'name')));
  if (!old) world.create(resource, namespace, object, 'cilium-cli');
  else if (object.spec !== undefined && resource !== CLUSTER_WIDE) {
    world.update(resource, { ...old, spec: { ...objOf(old.spec), ...objOf(object.spec) } }, 'cilium-cli');
  }
}
