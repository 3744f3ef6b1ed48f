/** Reads the cluster, all at once; what cannot be read is unknown and hides nothing else. */

import type { Lease } from 'kubernetes-types/coordination/v1.js';
import type { KubernetesClient } from '../clients/kubernetes/client.js';
import { isKubernetesError } from '../clients/kubernetes/errors.js';
import {
  CLUSTER_ROLE_BINDINGS,
  CONFIG_MAPS,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  GATEWAY_CLASSES,
  NODES,
  PERSISTENT_VOLUMES,
  PODS,
  type Resource,
  SECRETS,
  STORAGE_CLASSES,
} from '../clients/kubernetes/resources.js';
import type { GateConfig } from '../config/policy-config.js';
import { CILIUM_INSTALLER, CILIUM_NAMESPACE, CILIUM_VALUES } from '../design/kubernetes/cilium.js';
import { csiTokenIn } from '../design/kubernetes/csi.js';
import { CSI_NAMESPACE, CSI_SECRET } from '../design/kubernetes/csi-driver.js';
import { GITOPS_NOTE } from '../design/kubernetes/gitops.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import { APPLIED, MANAGED_BY, type ManagedObject, refKey } from '../design/kubernetes/managed-object.js';
import { SEALED_NAMESPACE, SEALED_SECRET } from '../design/kubernetes/sealed-secrets.js';
import { CORDONED_BY_US, DRAINED, NODE_MARKS } from '../formats/marks/node-marks.js';
import { isMapping } from '../formats/text/mapping.js';
import { attempt } from './attempt.js';
import { readCsiDriver } from './observe-csi-driver.js';
import { observeGates } from './observe-gates.js';
import { observeStorage, timeOf } from './observe-kubernetes-storage.js';
import { readLoadBalancer } from './observe-load-balancer.js';
import { observeWorkloads } from './observe-workloads.js';
import { type Known, notAsked, unknown } from './observed.js';
import type {
  ControlPlanePod,
  KubeNode,
  ObservedCilium,
  ObservedCsiSecret,
  ObservedGitops,
  ObservedKubernetes,
  ObservedObject,
} from './observed-kubernetes.js';
import type { Found } from './observed-lists.js';

interface KubernetesLook {
  readonly client: KubernetesClient;
  readonly design: KubernetesDesign;
  /** The VIP and the control planes. */
  readonly endpoints: readonly string[];
  readonly gates: readonly GateConfig[];
  /** Workloads and certificates too. */
  readonly health: boolean;
}

export async function observeKubernetes(look: KubernetesLook): Promise<ObservedKubernetes> {
  const { client, design, health } = look;
  const answers = await Promise.all(
    look.endpoints.map(async (endpoint) => [endpoint, await client.ready(endpoint)] as const),
  );
  const endpoints = Object.fromEntries(answers);
  const servingUntil = health ? await readServingCertificates(look) : {};
  if (!answers.some(([, ready]) => ready)) return { ...absent(endpoints), servingUntil };
  const [
    now,
    version,
    nodes,
    controlPlanePods,
    objects,
    ours,
    cilium,
    loadBalancer,
    gitops,
    csiSecret,
    csiDriver,
    sealedKey,
    gatewayApi,
    storage,
    workloads,
    gates,
  ] = await Promise.all([
    attempt(() => readTime(client)),
    attempt(() => client.version()),
    attempt(() => readNodes(client)),
    attempt(() => readControlPlanePods(client)),
    Promise.all(design.objects.map((object) => readObject(client, object))),
    attempt(() => readOurs(client)),
    attempt(() => readCilium(client)),
    usesCilium(design) ? attempt(() => readLoadBalancer(client)) : notAsked<never>(),
    attempt(() => readGitops(client)),
    design.csi ? attempt(() => readCsiSecret(client)) : notAsked<undefined>(),
    design.csi ? attempt(() => readCsiDriver(client)) : notAsked<never>(),
    attempt(async () => (await client.get(SECRETS, SEALED_SECRET, SEALED_NAMESPACE)) !== undefined),
    attempt(() => readGatewayApi(client)),
    observeStorage(client),
    health ? observeWorkloads(client) : NOT_ASKED,
    observeGates(client, look.gates),
  ]);
  return {
    endpoints,
    servingUntil,
    now,
    version,
    nodes,
    controlPlanePods,
    objects: Object.fromEntries(objects),
    ours,
    cilium,
    loadBalancer,
    gitops,
    csiSecret,
    csiDriver,
    sealedKey,
    gatewayApi,
    ...storage,
    ...workloads,
    gates,
  };
}

/** Also by a manifest of the user's own. */
function usesCilium({ cilium, objects }: KubernetesDesign): boolean {
  return cilium !== undefined || objects.some(({ origin }) => origin === 'kubernetes.cilium');
}

async function readServingCertificates({
  client,
  endpoints,
}: KubernetesLook): Promise<Record<string, number>> {
  const shown = await Promise.all(
    endpoints.map(async (endpoint) => [endpoint, await client.servingUntil(endpoint)] as const),
  );
  return Object.fromEntries(
    shown.flatMap(([endpoint, until]) => (until === undefined ? [] : [[endpoint, until]])),
  );
}

const NOT_ASKED = {
  workloads: notAsked<never>(),
  pods: notAsked<never>(),
  budgets: notAsked<never>(),
};

function absent(endpoints: Readonly<Record<string, boolean>>): ObservedKubernetes {
  const why = unknown<never>('no API server answers');
  return {
    endpoints,
    servingUntil: {},
    now: why,
    version: why,
    nodes: why,
    controlPlanePods: why,
    objects: {},
    ours: why,
    cilium: why,
    loadBalancer: why,
    gitops: why,
    csiSecret: why,
    csiDriver: why,
    sealedKey: why,
    gatewayApi: why,
    volumes: why,
    claims: why,
    attachments: why,
    workloads: why,
    pods: why,
    budgets: why,
    gates: {},
  };
}

const LEASES: Resource<Lease> = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  plural: 'leases',
  namespaced: true,
};

/** Ages of objects are measured by the clock that wrote them, which need not be ours. */
async function readTime(client: KubernetesClient): Promise<number> {
  const leases = await client.list(LEASES, { namespace: 'kube-node-lease' });
  return Math.max(0, ...leases.map((lease) => timeOf(lease.spec?.renewTime)));
}

async function readNodes(client: KubernetesClient): Promise<KubeNode[]> {
  return (await client.list(NODES)).map((node) => {
    const ready = node.status?.conditions?.find((condition) => condition.type === 'Ready');
    const marks = node.metadata?.annotations?.[NODE_MARKS];
    return {
      name: node.metadata?.name ?? '',
      ready: ready?.status === 'True',
      why: ready?.message ?? ready?.reason ?? 'its kubelet has not reported',
      unschedulable: node.spec?.unschedulable === true,
      cordonedByUs: node.metadata?.annotations?.[CORDONED_BY_US] !== undefined,
      ...(node.metadata?.annotations?.[CORDONED_BY_US] === DRAINED && { drained: true }),
      kubeletVersion: node.status?.nodeInfo?.kubeletVersion ?? '',
      labels: node.metadata?.labels ?? {},
      taints: (node.spec?.taints ?? []).map(({ key, value, effect }) => ({
        key,
        effect,
        ...(value !== undefined && { value }),
      })),
      ...(marks !== undefined && { marks }),
      systemUuid: (node.status?.nodeInfo?.systemUUID ?? '').toLowerCase(),
    };
  });
}

/** Talos labels its static pods so (internal/app/machined/pkg/controllers/k8s/control_plane_static_pod.go). */
const CONTROL_PLANE = 'tier=control-plane';

async function readControlPlanePods(client: KubernetesClient): Promise<ControlPlanePod[]> {
  const pods = await client.list(PODS, { namespace: 'kube-system', labelSelector: CONTROL_PLANE });
  return pods.map(({ metadata, spec }) => ({
    node: spec?.nodeName ?? '',
    component: metadata?.labels?.['k8s-app'] ?? '',
    image: spec?.containers[0]?.image ?? '',
  }));
}

async function readObject(client: KubernetesClient, { ref, secret }: ManagedObject) {
  const answer = await attempt(async (): Promise<ObservedObject | undefined> => {
    const resource = await kindOf(client, ref);
    if (!resource) return undefined;
    const namespace = resource.namespaced ? (ref.namespace ?? 'default') : undefined;
    const there = await client.get(resource, ref.name, namespace);
    if (!isMapping(there)) return undefined;
    const hash = annotationsOf(there)[APPLIED];
    return { ...(hash !== undefined && { hash }), ...(secret ? {} : { live: there }) };
  });
  return [refKey(ref), foundOf(answer)] as const;
}

function foundOf<T>(answer: Known<T | undefined>): Found<T> {
  if (!answer.known) return { state: 'unread', why: answer.why };
  return answer.value === undefined ? { state: 'absent' } : { state: 'present', value: answer.value };
}

/** `undefined`: the cluster does not serve the kind, so it has no such object; it may come with the same plan. */
async function kindOf(client: KubernetesClient, { apiVersion, kind }: ManagedObject['ref']) {
  try {
    return await client.resourceOf(apiVersion, kind);
  } catch (error) {
    if (!isKubernetesError(error, 'kubernetes.not-found')) throw error;
    return undefined;
  }
}

async function readOurs(client: KubernetesClient) {
  const labelSelector = Object.entries(MANAGED_BY)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const [volumes, classes] = await Promise.all([
    client.list(PERSISTENT_VOLUMES, { labelSelector }),
    client.list(STORAGE_CLASSES, { labelSelector }),
  ]);
  return [
    ...volumes.map((volume) => ({ kind: 'PersistentVolume', name: volume.metadata?.name ?? '' })),
    ...classes.map((item) => ({ kind: 'StorageClass', name: item.metadata?.name ?? '' })),
  ];
}

async function readCilium(client: KubernetesClient): Promise<ObservedCilium> {
  const [agents, values, binding, gatewayClass] = await Promise.all([
    client.get(DAEMON_SETS, 'cilium', CILIUM_NAMESPACE),
    client.get(CONFIG_MAPS, CILIUM_VALUES, CILIUM_NAMESPACE),
    client.get(CLUSTER_ROLE_BINDINGS, CILIUM_INSTALLER),
    client.get(GATEWAY_CLASSES, 'cilium'),
  ]);
  const image = agents?.spec?.template.spec?.containers.find(
    (container) => container.name === 'cilium-agent',
  )?.image;
  const version = /:(v\d+\.\d+\.\d+[^@]*)/.exec(image ?? '')?.[1];
  const appliedHash = values?.metadata?.annotations?.[APPLIED];
  return {
    ...(version !== undefined && { version }),
    desired: agents?.status?.desiredNumberScheduled ?? 0,
    ready: agents?.status?.numberReady ?? 0,
    ...(appliedHash !== undefined && { appliedHash }),
    binding: binding !== undefined,
    gatewayClass: gatewayClass !== undefined,
  };
}

async function readGitops(client: KubernetesClient): Promise<ObservedGitops | undefined> {
  const note = await client.get(CONFIG_MAPS, GITOPS_NOTE, 'kube-system');
  if (!note) return undefined;
  const { engine = '', version = '' } = note.data ?? {};
  const hash = note.metadata?.annotations?.[APPLIED];
  return { engine, version, ...(hash !== undefined && { hash }) };
}

/** Whose token it is; the token's own secret is not taken over. */
async function readCsiSecret(client: KubernetesClient): Promise<ObservedCsiSecret | undefined> {
  const secret = await client.get(SECRETS, CSI_SECRET, CSI_NAMESPACE);
  if (!secret) return undefined;
  const hash = secret.metadata?.annotations?.[APPLIED];
  const { tokenId } = csiTokenIn(secret.data ?? {});
  return { ...(hash !== undefined && { hash }), tokenId };
}

async function readGatewayApi(client: KubernetesClient) {
  const definition = await client.get(CUSTOM_RESOURCE_DEFINITIONS, 'gateways.gateway.networking.k8s.io');
  if (!definition) return undefined;
  const { annotations = {} } = definition.metadata ?? {};
  return {
    version: annotations['gateway.networking.k8s.io/bundle-version'] ?? '',
    channel: annotations['gateway.networking.k8s.io/channel'] ?? '',
  };
}

function annotationsOf(object: Readonly<Record<string, unknown>>): Record<string, string> {
  const { metadata } = object;
  const annotations = isMapping(metadata) && isMapping(metadata.annotations) ? metadata.annotations : {};
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [key, String(value)]));
}
