/** What a Talos config and a kubelet mean for the Kubernetes cluster that they run. */
import { parseVersion } from '../../../model/version.js';
import { fromBase64Pem } from '../../../secrets/pem.js';
import type { ClusterDescription, NodeDescription } from '../../kubernetes/feed.js';
import { at, list, readDocuments, string, strings } from '../config/config-document.js';
import { readConfigFacts } from '../config/config-facts.js';
import { CONTROL_PLANE_TAINT } from '../services/announce.js';
import { imageTag } from '../services/component-args.js';
import type { ControlPlane, Kubelet } from './kubernetes-hook.js';

export function describeCluster({
  config,
  images,
}: Pick<ControlPlane, 'config' | 'images'>): ClusterDescription {
  const facts = readConfigFacts(config);
  const documents = readDocuments(config);
  const main = documents.find((document) => document.kind === 'v1alpha1')?.body;
  const cluster = at(main, 'cluster');
  const endpoint = /^https?:\/\/(\[[^\]]+\]|[^/:]+)/.exec(facts.cluster.endpoint)?.[1];
  const cni = string(at(cluster, 'network', 'cni', 'name')) ?? 'flannel';
  const proxy = string(at(cluster, 'proxy', 'image'));
  const coreDns = string(at(cluster, 'coreDNS', 'image'));
  const serviceAccount = string(at(cluster, 'serviceAccount', 'key'));
  const serviceSubnets = strings(at(cluster, 'network', 'serviceSubnets'));
  return {
    authority: {
      certificate: fromBase64Pem(facts.cluster.ca.crt),
      key: fromBase64Pem(facts.cluster.ca.key),
    },
    version: imageTag(images.apiServer),
    ...(serviceAccount ? { serviceAccountKey: fromBase64Pem(serviceAccount) } : {}),
    endpoint: facts.cluster.endpoint,
    ...(serviceSubnets.length > 0 ? { serviceSubnets } : {}),
    admissionControl: list(at(cluster, 'apiServer', 'admissionControl')).map((plugin) => ({
      name: string(at(plugin, 'name')) ?? '',
      configuration: at(plugin, 'configuration'),
    })),
    certificateNames: [
      ...strings(at(cluster, 'apiServer', 'certSANs')),
      ...facts.vips,
      ...(endpoint ? [endpoint] : []),
    ],
    cni: cni === 'flannel' ? 'flannel' : 'none',
    kubeProxy: at(cluster, 'proxy', 'disabled') !== true,
    coreDns: at(cluster, 'coreDNS', 'disabled') !== true,
    images: {
      'kube-apiserver': images.apiServer,
      'kube-controller-manager': images.controllerManager,
      'kube-scheduler': images.scheduler,
      ...(proxy ? { 'kube-proxy': proxy } : {}),
      ...(coreDns ? { coredns: coreDns } : {}),
    },
  };
}

/** A kubelet reports what the kernel left of the VM's memory: a little less than the config says. */
const KERNEL_KEEPS = 180_013 * 1024;

export function describeNode(kubelet: Kubelet): NodeDescription {
  const taints = Object.entries(kubelet.taints).map(([key, taint]) => {
    const colon = taint.indexOf(':');
    const value = taint.slice(0, Math.max(colon, 0));
    return { key, ...(value ? { value } : {}), effect: taint.slice(colon + 1) };
  });
  return {
    name: kubelet.nodeName,
    ip: kubelet.ip,
    controlPlane: kubelet.role === 'controlplane',
    labels: kubelet.labels,
    annotations: kubelet.annotations,
    taints,
    registersWith: taints.filter((taint) => registersAllTaints(kubelet) || taint.key === CONTROL_PLANE_TAINT),
    kubeletVersion: kubelet.version,
    osImage: `Talos (${kubelet.talosVersion})`,
    kernel: '6.18.5-talos',
    containerRuntime: 'containerd://2.2.1',
    systemUUID: kubelet.systemUuid,
    machineID: kubelet.machineId,
    bootID: kubelet.bootId,
    cores: kubelet.cores,
    memory: kubelet.memory - KERNEL_KEEPS,
    ...(kubelet.role === 'controlplane' && {
      staticPods: {
        'kube-apiserver': kubelet.images.apiServer,
        'kube-controller-manager': kubelet.images.controllerManager,
        'kube-scheduler': kubelet.images.scheduler,
      },
      failing: kubelet.failing,
    }),
  };
}

/** Kubelets register with all taints of the config from 1.14 on; before, control planes with their own. */
function registersAllTaints({ talosVersion }: Kubelet): boolean {
  const version = parseVersion(talosVersion);
  return version === undefined || version.major > 1 || version.minor >= 14;
}
