import { ownKey } from '../../../../model/publisher.js';
import { at, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { World } from '../world.js';
import type { Outcome } from './containers.js';

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

/**
 * The stand-in for Cilium's installer: agent and operator of the asked version, no network behind them. As Helm does, it
 * keeps its releases in secrets, and one that died half-way is in the way of the next. `run` tells one start of the pod
 * from another.
 */
export function ciliumCommand(world: World, words: readonly string[], run: string): Outcome {
  const version = optionOf(words, '--version') ?? 'v1.18.7';
  const upgrade = words.includes('upgrade');
  const releases = releasesOf(world);
  const ours = releases.find((release) => release.metadata.annotations?.[RUN] === run);
  const refusal = ours ? undefined : refusalOf(releases, upgrade);
  if (refusal) {
    const doing = upgrade ? 'upgrade' : 'install';
    const log = `Error: Unable to ${doing} Cilium: ${refusal}\n`;
    return { kind: 'ends', after: 1_000, exitCode: 1, log };
  }
  return {
    kind: 'ends',
    after: CILIUM_TIME,
    exitCode: 0,
    log: `Using Cilium version ${version.replace(/^v/, '')}\n`,
    begin: () => {
      if (!ours)
        createRelease(world, releases.length + 1, upgrade ? 'pending-upgrade' : 'pending-install', run);
    },
    effect: () => {
      for (const [resource, object] of ciliumObjects(version)) put(world, resource, object);
      if (gatewayWanted(world) && world.find(CLUSTER_WIDE, undefined, GATEWAY_CLASSES))
        createGatewayClass(world);
      for (const release of releasesOf(world)) {
        const current = release.metadata.annotations?.[RUN] === run;
        setStatus(world, release, current ? 'deployed' : 'superseded');
      }
    },
  };
}

const RUN = `lab.${ownKey('run')}`;
const GATEWAY_CLASSES = 'gatewayclasses.gateway.networking.k8s.io';

function releasesOf(world: World): KubeObject[] {
  return world
    .list('secrets', 'kube-system')
    .filter(({ metadata }) => metadata.labels?.owner === 'helm' && metadata.labels.name === 'cilium');
}

/** The words of Helm. */
function refusalOf(releases: readonly KubeObject[], upgrade: boolean): string | undefined {
  const has = (pattern: RegExp) =>
    releases.some(({ metadata }) => pattern.test(metadata.labels?.status ?? ''));
  if (!upgrade) return releases.length > 0 ? 'cannot re-use a name that is still in use' : undefined;
  if (has(/^pending-/)) return 'another operation (install/upgrade/rollback) is in progress';
  return has(/^deployed$/) ? undefined : '"cilium" has no deployed releases';
}

function createRelease(world: World, version: number, status: string, run: string): void {
  world.create(
    'secrets',
    'kube-system',
    {
      metadata: {
        name: `sh.helm.release.v1.cilium.v${version}`,
        labels: { owner: 'helm', name: 'cilium', status, version: String(version) },
        annotations: { [RUN]: run },
      },
      type: 'helm.sh/release.v1',
      data: {},
    },
    'cilium-cli',
  );
}

function setStatus(world: World, release: KubeObject, status: string): void {
  const labels = { ...release.metadata.labels, status };
  world.update('secrets', { ...release, metadata: { ...release.metadata, labels } }, 'cilium-cli');
}

/** As the values say that the installer was given. */
function gatewayWanted(world: World): boolean {
  const values = world.find('configmaps', 'kube-system', 'cilium-values');
  return /gatewayAPI:\s*\n\s+enabled: true/.test(textOf(at(values, 'data', 'values.yaml')));
}

function createGatewayClass(world: World): void {
  if (world.find(GATEWAY_CLASSES, undefined, 'cilium')) return;
  world.create(
    GATEWAY_CLASSES,
    undefined,
    { metadata: { name: 'cilium' }, spec: { controllerName: 'io.cilium/gateway-controller' } },
    'cilium-cli',
  );
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
    ...CILIUM_KINDS.map((kind): [string, Obj] => [CLUSTER_WIDE, ciliumDefinition(kind)]),
  ];
}

interface CiliumKind {
  readonly kind: string;
  readonly plural: string;
  readonly namespaced?: boolean;
  readonly versions: readonly string[];
}

const BOTH = ['v2', 'v2alpha1'];
const CILIUM_KINDS: readonly CiliumKind[] = [
  { kind: 'CiliumNode', plural: 'ciliumnodes', versions: ['v2'] },
  { kind: 'CiliumNetworkPolicy', plural: 'ciliumnetworkpolicies', namespaced: true, versions: ['v2'] },
  { kind: 'CiliumLoadBalancerIPPool', plural: 'ciliumloadbalancerippools', versions: BOTH },
  { kind: 'CiliumL2AnnouncementPolicy', plural: 'ciliuml2announcementpolicies', versions: ['v2alpha1'] },
  { kind: 'CiliumBGPClusterConfig', plural: 'ciliumbgpclusterconfigs', versions: BOTH },
  { kind: 'CiliumBGPPeerConfig', plural: 'ciliumbgppeerconfigs', versions: BOTH },
  { kind: 'CiliumBGPAdvertisement', plural: 'ciliumbgpadvertisements', versions: BOTH },
];

function ciliumDefinition({ kind, plural, namespaced = false, versions }: CiliumKind): Obj {
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    metadata: { name: `${plural}.cilium.io` },
    spec: {
      group: 'cilium.io',
      scope: namespaced ? 'Namespaced' : 'Cluster',
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
