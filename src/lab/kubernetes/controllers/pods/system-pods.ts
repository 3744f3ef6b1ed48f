import { hashParts } from '../../../../formats/text/hash.js';
import type { ClusterDescription, NodeDescription, SystemComponent } from '../../feed.js';
import { at, listOf, type Obj, objOf, textOf } from '../../json.js';
import type { KubeObject } from '../../object.js';
import type { Controller, World } from '../world.js';

const STATIC_PODS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;
const CONTROL_PLANE = [
  { key: 'node-role.kubernetes.io/control-plane', operator: 'Exists', effect: 'NoSchedule' },
];
const ANYWHERE = [
  { operator: 'Exists', effect: 'NoSchedule' },
  { operator: 'Exists', effect: 'NoExecute' },
];

/** What every Talos cluster has in kube-system: static pods of the control planes, and Talos's own manifests. */
export function systemPodController(cluster: () => ClusterDescription | undefined): Controller {
  return {
    reconcile(world) {
      const description = cluster();
      if (!description) return undefined;
      for (const { description: node, up } of world.machines.values()) {
        if (up && node.controlPlane) mirrorStaticPods(world, node, description);
      }
      for (const [resource, object] of talosManifests(description)) {
        const name = textOf(at(object, 'metadata', 'name'));
        // Talos creates its manifests and never updates them.
        if (!world.find(resource, 'kube-system', name))
          world.create(resource, 'kube-system', object, 'talos');
      }
      return undefined;
    },
  };
}

function imageOf(description: ClusterDescription, component: SystemComponent): string {
  const { version, images } = description;
  const usual: Record<SystemComponent, string> = {
    'kube-apiserver': `registry.k8s.io/kube-apiserver:${version}`,
    'kube-controller-manager': `registry.k8s.io/kube-controller-manager:${version}`,
    'kube-scheduler': `registry.k8s.io/kube-scheduler:${version}`,
    'kube-proxy': `registry.k8s.io/kube-proxy:${version}`,
    coredns: 'registry.k8s.io/coredns/coredns:v1.12.4',
    flannel: 'ghcr.io/siderolabs/flannel:v0.27.4',
  };
  return images?.[component] ?? usual[component];
}

/** The kubelet shows a static pod as a mirror pod, and makes a new one when its definition changed. */
function mirrorStaticPods(world: World, node: NodeDescription, cluster: ClusterDescription): void {
  const owner = world.find('nodes', undefined, node.name);
  if (!owner) return;
  for (const component of STATIC_PODS) {
    const name = `${component}-${node.name}`;
    const image = node.staticPods?.[component] ?? imageOf(cluster, component);
    const hash = hashParts([image, node.failing?.[component] ?? '']).slice(0, 32);
    const old = world.find('pods', 'kube-system', name);
    const before = old?.metadata.annotations?.[CONFIG_HASH] ?? hash;
    if (old && (podImage(old) !== image || before !== hash))
      world.remove('pods', old, { gracePeriodSeconds: 0 });
    if (!world.find('pods', 'kube-system', name)) {
      world.create(
        'pods',
        'kube-system',
        staticPod(name, component, { image, hash }, owner, configVersion(old)),
        'kubelet',
      );
    }
  }
}

/** The kubelet's own mark of a definition (pkg/kubelet/types/pod_update.go): with another one the pod is made again. */
const CONFIG_HASH = 'kubernetes.io/config.hash';

/** Talos notes in the pod from which version of its config it was rendered. */
const CONFIG_VERSION = 'talos.dev/config-version';

function configVersion(before: KubeObject | undefined): number {
  return Number(before?.metadata.annotations?.[CONFIG_VERSION] ?? 0) + 1;
}

function podImage(pod: KubeObject): string {
  return textOf(objOf(listOf(at(pod, 'spec', 'containers'))[0]).image);
}

function staticPod(
  name: string,
  component: string,
  { image, hash }: { readonly image: string; readonly hash: string },
  node: KubeObject,
  version: number,
): Obj {
  const { name: nodeName, uid } = node.metadata;
  return {
    metadata: {
      name,
      labels: { tier: 'control-plane', 'k8s-app': component, component },
      annotations: {
        [CONFIG_HASH]: hash,
        'kubernetes.io/config.source': 'http',
        'kubernetes.io/config.mirror': textOf(uid),
        [CONFIG_VERSION]: String(version),
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: nodeName, uid, controller: true }],
    },
    spec: {
      nodeName,
      hostNetwork: true,
      priorityClassName: 'system-cluster-critical',
      tolerations: [{ operator: 'Exists', effect: 'NoExecute' }],
      containers: [{ name: component, image }],
    },
  };
}

/** By resource, as Talos renders them from a control plane's config. */
export function talosManifests(cluster: ClusterDescription): [string, Obj][] {
  return [
    ...(cluster.kubeProxy
      ? [daemon('kube-proxy', { tier: 'node', 'k8s-app': 'kube-proxy' }, imageOf(cluster, 'kube-proxy'))]
      : []),
    ...(cluster.cni === 'flannel'
      ? [daemon('kube-flannel', { tier: 'node', 'k8s-app': 'flannel' }, imageOf(cluster, 'flannel'))]
      : []),
    ...(cluster.coreDns ? coreDns(imageOf(cluster, 'coredns')) : []),
  ];
}

function daemon(name: string, labels: Record<string, string>, image: string): [string, Obj] {
  return [
    'daemonsets.apps',
    {
      metadata: { name, labels },
      spec: {
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: {
            hostNetwork: true,
            priorityClassName: 'system-cluster-critical',
            tolerations: ANYWHERE,
            containers: [{ name, image }],
          },
        },
      },
    },
  ];
}

function coreDns(image: string): [string, Obj][] {
  const labels = { 'k8s-app': 'kube-dns', 'kubernetes.io/name': 'CoreDNS' };
  const selector = { 'k8s-app': 'kube-dns' };
  return [
    [
      'services',
      {
        metadata: { name: 'kube-dns', labels },
        spec: {
          clusterIP: '10.96.0.10',
          selector,
          ports: [
            { name: 'dns', port: 53, protocol: 'UDP' },
            { name: 'dns-tcp', port: 53, protocol: 'TCP' },
          ],
        },
      },
    ],
    [
      'deployments.apps',
      {
        metadata: { name: 'coredns', labels },
        spec: {
          replicas: 2,
          strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
          selector: { matchLabels: selector },
          template: {
            metadata: { labels: selector },
            spec: {
              priorityClassName: 'system-cluster-critical',
              tolerations: CONTROL_PLANE,
              containers: [
                {
                  name: 'coredns',
                  image,
                  resources: { limits: { memory: '170Mi' }, requests: { cpu: '100m', memory: '70Mi' } },
                },
              ],
            },
          },
        },
      },
    ],
  ];
}
