import { parseAllDocuments } from 'yaml';
import { fromBase64Pem } from '../../secrets/pem.js';
import type { LabPartMaker } from '../index.js';
import type { LabCore } from '../lab.js';
import type { ControlPlane, Kubelet, KubernetesHook } from '../talos/kubernetes-hook.js';
import { conditionOf } from './controllers/world.js';
import type { ClusterDescription, CsiBackend, NodeDescription } from './feed.js';
import { type KubernetesLab, startKubernetes } from './index.js';
import { at, isObj, listOf, type Obj, objOf, sameJson, textOf } from './json.js';
import { manifestsOf } from './stand-in-manifests.js';

export interface KubernetesPartOptions {
  readonly csi?: (core: LabCore) => CsiBackend;
  readonly notice?: (text: string) => void;
}

export interface KubernetesPart {
  readonly maker: LabPartMaker;
  /** For the machines; there once the maker has run. */
  readonly hook: () => KubernetesHook | undefined;
  /** The Kubernetes of a Talos cluster, by the id in its secrets. */
  readonly cluster: (id: string) => KubernetesLab | undefined;
}

interface Running {
  readonly etcd: string;
  readonly lab: KubernetesLab;
}

const USUAL_KERNEL = '6.18.1-talos';

/** The Kubernetes clusters of a lab: each made when its first control plane has started, fed by its machines. */
export function kubernetesPart(options: KubernetesPartOptions = {}): KubernetesPart {
  const clusters = new Map<string, Running>();
  let hook: KubernetesHook | undefined;
  return {
    hook: () => hook,
    cluster: (id) => clusters.get(id)?.lab,
    maker: (core) => {
      hook = new Machines(core, clusters, options);
      return {
        name: 'kubernetes',
        async stop() {
          for (const { lab } of clusters.values()) await lab.close();
          clusters.clear();
        },
      };
    },
  };
}

/** What the machines said last, handed on to the cluster they belong to. */
class Machines implements KubernetesHook {
  readonly #kubelets = new Map<number, Kubelet>();
  readonly #planes = new Map<number, ControlPlane>();
  readonly #vips = new Map<string, number>();

  constructor(
    private readonly core: LabCore,
    private readonly clusters: Map<string, Running>,
    private readonly options: KubernetesPartOptions,
  ) {}

  kubeletStarted(kubelet: Kubelet): void {
    if (sameJson(this.#kubelets.get(kubelet.vmid), kubelet)) return;
    this.#kubelets.set(kubelet.vmid, kubelet);
    this.#tellNode(kubelet);
  }

  kubeletStopped(vmid: number): void {
    const kubelet = this.#kubelets.get(vmid);
    if (!kubelet) return;
    this.#kubelets.delete(vmid);
    this.clusters.get(kubelet.cluster)?.lab.feed.nodeDown(kubelet.nodeName);
  }

  controlPlaneStarted(plane: ControlPlane): void {
    if (sameJson(this.#planes.get(plane.vmid), plane)) return;
    const moved = this.#planes.get(plane.vmid);
    if (moved && moved.ip !== plane.ip) this.controlPlaneStopped(plane.vmid);
    this.#planes.set(plane.vmid, plane);
    const { lab } = this.#clusterOf(plane);
    const documents = documentsOf(plane.config);
    lab.feed.cluster(describe(documents, plane));
    for (const kubelet of this.#kubelets.values())
      if (kubelet.cluster === plane.cluster) this.#tellNode(kubelet);
    this.#settle(lab.feed.apiServerUp(plane.ip));
    for (const [vip, holder] of this.#vips)
      if (holder === plane.vmid) this.#settle(lab.feed.apiServerUp(vip));
    lab.feed.manifests(manifestsOf(documents, this.options.notice));
  }

  controlPlaneStopped(vmid: number): void {
    const plane = this.#planes.get(vmid);
    if (!plane) return;
    this.#planes.delete(vmid);
    const running = this.clusters.get(plane.cluster);
    if (!running) return;
    this.#settle(running.lab.feed.apiServerDown(plane.ip));
    for (const [vip, holder] of this.#vips)
      if (holder === vmid) this.#settle(running.lab.feed.apiServerDown(vip));
  }

  vipMoved(vip: string, holder: { readonly vmid: number; readonly ip: string } | undefined): void {
    const before = this.#vips.get(vip);
    if (before === holder?.vmid) return;
    if (before !== undefined) {
      this.#vips.delete(vip);
      for (const { lab } of this.clusters.values()) this.#settle(lab.feed.apiServerDown(vip));
    }
    if (!holder) return;
    this.#vips.set(vip, holder.vmid);
    const plane = this.#planes.get(holder.vmid);
    const running = plane && this.clusters.get(plane.cluster);
    if (running) this.#settle(running.lab.feed.apiServerUp(vip));
  }

  nodeReady(cluster: string, nodeName: string): boolean | undefined {
    const running = this.clusters.get(cluster);
    if (!running || ![...this.#planes.values()].some((plane) => plane.cluster === cluster)) return undefined;
    const node = running.lab.api.find('nodes', undefined, nodeName);
    return node ? conditionOf(node, 'Ready')?.status === 'True' : false;
  }

  /** Another etcd cluster is another, empty Kubernetes. */
  #clusterOf(plane: ControlPlane): Running {
    const known = this.clusters.get(plane.cluster);
    if (known?.etcd === plane.etcdCluster) return known;
    if (known) this.#settle(known.lab.close());
    const lab = startKubernetes(this.core, {
      cluster: `${plane.cluster}/${plane.etcdCluster}`,
      ...(this.options.csi ? { csi: this.options.csi(this.core) } : {}),
    });
    const running = { etcd: plane.etcdCluster, lab };
    this.clusters.set(plane.cluster, running);
    return running;
  }

  #tellNode(kubelet: Kubelet): void {
    const plane = [...this.#planes.values()].find((item) => item.vmid === kubelet.vmid);
    this.clusters.get(kubelet.cluster)?.lab.feed.nodeUp(nodeOf(kubelet, plane));
  }

  #settle(work: Promise<void>): void {
    work.catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      this.options.notice?.(`the Kubernetes API of the lab could not be opened: ${why}`);
    });
  }
}

function documentsOf(config: string): Obj[] {
  return parseAllDocuments(config)
    .map((document): unknown => document.toJS())
    .filter(isObj);
}

/** What a machine config says of its cluster; Talos keeps PEM texts in base64. */
function describe(documents: readonly Obj[], plane: ControlPlane): ClusterDescription {
  const cluster = objOf(documents.find((document) => isObj(document.cluster))?.cluster);
  const endpoint = textOf(at(cluster, 'controlPlane', 'endpoint'));
  const host = endpoint === '' ? [] : [new URL(endpoint).hostname];
  const image = (component: string) => textOf(at(cluster, component, 'image'));
  const proxy = image('proxy');
  const dns = image('coreDNS');
  return {
    authority: {
      certificate: fromBase64Pem(textOf(at(cluster, 'ca', 'crt'))),
      key: fromBase64Pem(textOf(at(cluster, 'ca', 'key'))),
    },
    version: tagOf(plane.images.apiServer),
    certificateNames: [...host, ...listOf(at(cluster, 'apiServer', 'certSANs')).map(textOf)],
    cni: at(cluster, 'network', 'cni', 'name') === 'none' ? 'none' : 'flannel',
    kubeProxy: at(cluster, 'proxy', 'disabled') !== true,
    coreDns: at(cluster, 'coreDNS', 'disabled') !== true,
    images: { ...(proxy === '' ? {} : { 'kube-proxy': proxy }), ...(dns === '' ? {} : { coredns: dns }) },
  };
}

/** `registry.k8s.io/kube-apiserver:v1.35.0@sha256:…` → `v1.35.0` */
function tagOf(image: string): string {
  return /:(v[^@/]+)/.exec(image)?.[1] ?? '';
}

function nodeOf(kubelet: Kubelet, plane: ControlPlane | undefined): NodeDescription {
  return {
    name: kubelet.nodeName,
    ip: kubelet.ip,
    controlPlane: kubelet.role === 'controlplane',
    labels: kubelet.labels,
    annotations: kubelet.annotations,
    taints: Object.entries(kubelet.taints).map(([key, text]) => {
      const [value = '', effect = ''] = text.includes(':') ? text.split(':') : ['', text];
      return { key, ...(value === '' ? {} : { value }), effect };
    }),
    kubeletVersion: kubelet.version,
    osImage: `Talos (${kubelet.talosVersion})`,
    kernel: USUAL_KERNEL,
    systemUUID: kubelet.systemUuid,
    machineID: kubelet.machineId,
    bootID: kubelet.bootId,
    cores: kubelet.cores,
    memory: kubelet.memory,
    ...(plane
      ? {
          staticPods: {
            'kube-apiserver': plane.images.apiServer,
            'kube-controller-manager': plane.images.controllerManager,
            'kube-scheduler': plane.images.scheduler,
          },
        }
      : {}),
  };
}
