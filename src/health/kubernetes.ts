/** The cluster as its API shows it: servers, nodes, network, what runs in it. */
import type { Design } from '../design/design.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import { refKey, refText } from '../design/kubernetes/managed-object.js';
import {
  findObject,
  type KubeNode,
  kubeNodeOf,
  type ObservedKubernetes,
} from '../observe/observed-kubernetes.js';
import { type Condition, conditionsOf } from './condition.js';
import { gitopsConditions } from './gitops.js';
import { loadBalancerConditions } from './load-balancer.js';
import { workloadConditions } from './workloads.js';

const { condition, unread } = conditionsOf('kubernetes');

interface KubernetesHealthInput {
  readonly design: Design;
  readonly kubernetes: KubernetesDesign;
  /** Absent: nothing could be asked, which other layers explain. */
  readonly observed: ObservedKubernetes | undefined;
  /** By the cluster's clock. */
  readonly now: number;
}

export function kubernetesConditions(input: KubernetesHealthInput): Condition[] {
  const { observed } = input;
  if (!observed) {
    return [
      {
        layer: 'kubernetes',
        name: 'api-answers',
        state: 'skipped',
        message: 'no machine has its config yet',
      },
    ];
  }
  const servers = Object.entries(observed.endpoints).map(([address, ready]) => apiServer(address, ready));
  if (!Object.values(observed.endpoints).some((ready) => ready)) return servers;
  return [
    ...servers,
    ...nodes(input, observed),
    ...network(input, observed),
    ...gatewayApi(input, observed),
    ...loadBalancerConditions(input.kubernetes, observed),
    ...gitopsConditions(input.kubernetes, observed),
    ...objects(input, observed),
    ...workloadConditions(observed, input.now),
  ];
}

function apiServer(address: string, ready: boolean): Condition {
  return condition(
    'api-answers',
    address,
    ready,
    ready ? 'the API answers' : `no API server is ready at ${address}`,
    'see which control plane holds the address (`talosctl get addresses`) and whether its API server runs (`talosctl containers -k`)',
  );
}

function nodes({ design, kubernetes }: KubernetesHealthInput, observed: ObservedKubernetes): Condition[] {
  if (!observed.nodes.known) return [unread('node-ready', observed.nodes.why)];
  const there = observed.nodes.value;
  const extra = there.filter((node) => !design.nodes.some(({ name }) => kubeNodeOf(name, there) === node));
  return [
    ...design.nodes.flatMap(({ name }): Condition[] => {
      const node = kubeNodeOf(name, there);
      const advice = `kubectl describe node ${node?.name ?? name}`;
      if (!node) return [condition('node-ready', name, false, 'it is not in the cluster', advice)];
      const same = node.kubeletVersion === kubernetes.version;
      return [
        condition('node-ready', name, node.ready, node.ready ? 'Ready' : `not Ready: ${node.why}`, advice),
        condition(
          'node-schedulable',
          name,
          !node.unschedulable,
          cordonText(node),
          node.cordonedByUs
            ? 'run `oxherd apply`: it resumes there and uncordons the node when it is healthy'
            : `kubectl uncordon ${node.name}`,
        ),
        condition(
          'kubernetes-version',
          name,
          same,
          same
            ? node.kubeletVersion
            : `its kubelet is ${node.kubeletVersion}, oxherd.yaml says ${kubernetes.version}`,
          'run `oxherd plan`',
        ),
      ];
    }),
    ...extra.map((node) =>
      condition(
        'node-known',
        node.name,
        false,
        'it is in the cluster, but not in oxherd.yaml',
        `kubectl delete node ${node.name}, if its machine no longer exists`,
      ),
    ),
    ...serverVersion(kubernetes, observed),
  ];
}

function cordonText({ unschedulable, cordonedByUs }: KubeNode): string {
  if (!unschedulable) return 'takes pods';
  return cordonedByUs
    ? 'it is cordoned by a run of oxherd that is under way or was interrupted'
    : 'it is cordoned: no pod is put there';
}

function serverVersion({ version }: KubernetesDesign, observed: ObservedKubernetes): Condition[] {
  if (!observed.version.known) return [unread('api-version', observed.version.why)];
  const is = observed.version.value;
  const same = is === version;
  return [
    condition(
      'api-version',
      undefined,
      same,
      same ? `API ${is}` : `the API server is ${is}, oxherd.yaml says ${version}`,
      'run `oxherd plan`',
    ),
  ];
}

function network({ kubernetes }: KubernetesHealthInput, observed: ObservedKubernetes): Condition[] {
  const { cilium } = kubernetes;
  if (!cilium) return [];
  if (!observed.cilium.known) return [unread('cilium-agents', observed.cilium.why)];
  const { version, desired, ready, binding } = observed.cilium.value;
  if (version === undefined)
    return [condition('cilium-agents', undefined, false, 'Cilium is not installed', 'run `oxherd apply`')];
  return [
    condition(
      'cilium-agents',
      undefined,
      ready >= desired && desired > 0,
      `${ready} of ${desired} Cilium agents are ready`,
      'kubectl -n kube-system get pods -l k8s-app=cilium',
    ),
    condition(
      'cilium-version',
      undefined,
      version === cilium.version,
      version === cilium.version
        ? `Cilium ${version}`
        : `Cilium is ${version}, oxherd.yaml says ${cilium.version}`,
      'run `oxherd plan`',
    ),
    ...(binding
      ? [
          condition(
            'cilium-binding',
            undefined,
            false,
            'the installer of Cilium still has cluster-admin rights',
            'run `oxherd apply`, it removes them',
          ),
        ]
      : []),
  ];
}

function gatewayApi({ kubernetes }: KubernetesHealthInput, observed: ObservedKubernetes): Condition[] {
  const wanted = kubernetes.gatewayApi;
  if (!wanted) return [];
  if (!observed.gatewayApi.known) return [unread('gateway-api', observed.gatewayApi.why)];
  const has = observed.gatewayApi.value;
  const same = has?.version === wanted.version && has.channel === wanted.channel;
  const text = has ? `Gateway API ${has.version} (${has.channel})` : 'the Gateway API is missing';
  return [
    condition(
      'gateway-api',
      undefined,
      same,
      same ? text : `${text}, oxherd.yaml says ${wanted.version} (${wanted.channel})`,
      'Talos creates it from its URL, for which its nodes need a way to the internet; `oxherd apply` brings a changed one',
    ),
    ...gatewayClass(kubernetes, observed),
  ];
}

/** Cilium serves gateways only if the definitions were there when it was installed. */
function gatewayClass(
  { cilium }: KubernetesHealthInput['kubernetes'],
  observed: ObservedKubernetes,
): Condition[] {
  // The condition `cilium-agents` says that Cilium was not read.
  if (!cilium?.gatewayApi || !observed.cilium.known) return [];
  const { gatewayClass: exists } = observed.cilium.value;
  const text = exists ? 'GatewayClass cilium' : 'Cilium has no GatewayClass: gateways are not served';
  return [condition('gateway-class', undefined, exists, text, 'oxherd apply')];
}

function objects({ kubernetes }: KubernetesHealthInput, observed: ObservedKubernetes): Condition[] {
  const unseen = kubernetes.objects.flatMap(({ ref, undecided }) => {
    const seen = findObject(observed, ref);
    const why = seen.state === 'unread' ? seen.why : undecided;
    return why === undefined ? [] : [{ key: refKey(ref), text: `${refText(ref)} (${why})` }];
  });
  const unreadKeys = new Set(unseen.map(({ key }) => key));
  const stale = kubernetes.objects.filter(({ ref, hash }) => {
    const seen = findObject(observed, ref);
    return !unreadKeys.has(refKey(ref)) && (seen.state !== 'present' || seen.value.hash !== hash);
  });
  const shown = stale.map(({ ref }) => refText(ref)).join(', ');
  const ok = stale.length === 0;
  if (ok && unseen.length > 0) return [unread('objects-current', unseen.map(({ text }) => text).join(', '))];
  return [
    condition(
      'objects-current',
      undefined,
      ok,
      ok
        ? `${kubernetes.objects.length} objects match oxherd.yaml`
        : `objects that differ from oxherd.yaml: ${shown}`,
      'run `oxherd plan`',
    ),
  ];
}
