import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubernetesLab, type KubernetesOptions, startKubernetes } from '../../kubernetes/index.js';
import { sameJson } from '../../kubernetes/json.js';
import { keepKind } from '../../kubernetes/kind.js';
import { type RealKubernetes, startRealKubernetes } from '../../kubernetes/real/index.js';
import { manifestsOf } from '../../kubernetes/stand-in-manifests.js';
import type { LabCore } from '../../lab.js';
import { at, list, readDocuments, string } from '../config/config-document.js';
import { describeCluster, describeNode } from './kubernetes-description.js';
import type { ControlPlane, Kubelet, KubernetesHook, PodOnNode } from './kubernetes-hook.js';

/**
 * The Kubernetes clusters that a lab's machines run: one per etcd cluster, because its objects live there. Calls of the
 * machines repeat what is so; only what changed is passed on.
 */
export class KubernetesClusters implements KubernetesHook {
  readonly #kubelets = new Map<number, Kubelet>();
  readonly #controlPlanes = new Map<number, ControlPlane>();
  readonly #vips = new Map<string, number>();
  /** By id of the etcd cluster. */
  readonly #clusters = new Map<string, KubernetesLab>();
  /** Cluster → node → the machine that speaks for it. */
  readonly #toldOf = new Map<string, Map<string, number>>();
  /** What each cluster was told last, by subject. */
  readonly #told = new Map<string, string>();
  /** Other control planes than when all kubelets were told of last. */
  #moved = false;
  #opening: Promise<unknown> = Promise.resolve();
  #temporary: string | undefined;

  constructor(
    private readonly core: LabCore,
    private readonly options: Omit<KubernetesOptions, 'cluster'> & {
      /** Programs of a real API; default: the lab's own. */
      readonly real?: Pick<RealKubernetes, 'binaries'> & Partial<RealKubernetes>;
      /** Told of what does not work: manifests that the lab has nothing for, an API server that does not start. */
      readonly notice?: (text: string) => void;
    } = {},
  ) {}

  kubeletStarted(kubelet: Kubelet): void {
    // Under another name it is another node to Kubernetes, and no one speaks for the old one any more.
    if (this.#kubelets.get(kubelet.vmid)?.nodeName !== kubelet.nodeName) this.kubeletStopped(kubelet.vmid);
    this.#kubelets.set(kubelet.vmid, kubelet);
    this.#tellNode(kubelet);
  }

  kubeletStopped(vmid: number): void {
    const kubelet = this.#kubelets.get(vmid);
    if (!kubelet) return;
    this.#kubelets.delete(vmid);
    // Another cluster of the lab may have a node of the same name.
    for (const [id, cluster] of this.#clusters) {
      if (this.#toldOf.get(id)?.get(kubelet.nodeName) !== vmid) continue;
      this.#toldOf.get(id)?.delete(kubelet.nodeName);
      if (this.#told.delete(`${id} node ${kubelet.nodeName}`)) cluster.feed.nodeDown(kubelet.nodeName);
    }
  }

  controlPlaneStarted(instance: ControlPlane): void {
    if (!sameJson(this.#controlPlanes.get(instance.vmid), instance)) this.#moved = true;
    this.#controlPlanes.set(instance.vmid, instance);
    const { etcdCluster: id } = instance;
    const cluster = this.#clusters.get(id) ?? this.#start(id);
    if (this.#isNews(`${id} cluster`, instance.config)) {
      cluster.feed.cluster(describeCluster(instance));
      cluster.feed.manifests(manifestsOf(bodiesOf(instance.config), this.options.notice));
    }
    if (this.#moved) for (const kubelet of this.#kubelets.values()) this.#tellNode(kubelet);
    this.#moved = false;
    this.#serve(cluster, id, instance.ip);
    for (const [vip, vmid] of this.#vips) if (vmid === instance.vmid) this.#serve(cluster, id, vip);
  }

  controlPlaneStopped(vmid: number): void {
    const instance = this.#controlPlanes.get(vmid);
    if (!instance) return;
    this.#controlPlanes.delete(vmid);
    this.#moved = true;
    this.#unserve(instance.etcdCluster, instance.ip);
    for (const [vip, holder] of this.#vips) if (holder === vmid) this.#unserve(instance.etcdCluster, vip);
  }

  vipMoved(vip: string, holder: { vmid: number; ip: string } | undefined): void {
    const before = this.#vips.get(vip);
    if (before === holder?.vmid) return;
    for (const id of this.#clusters.keys()) this.#unserve(id, vip);
    if (!holder) {
      this.#vips.delete(vip);
      return;
    }
    this.#vips.set(vip, holder.vmid);
    const instance = this.#controlPlanes.get(holder.vmid);
    const cluster = instance && this.#clusters.get(instance.etcdCluster);
    if (cluster) this.#serve(cluster, instance.etcdCluster, vip);
  }

  nodeReady(talosCluster: string, nodeName: string): boolean | undefined {
    const cluster = this.#clusterOf(talosCluster)?.cluster;
    const node = cluster?.objects.find('nodes', undefined, nodeName);
    const ready = list(at(node, 'status', 'conditions')).find(
      (condition) => at(condition, 'type') === 'Ready',
    );
    return ready === undefined ? undefined : at(ready, 'status') === 'True';
  }

  podsOn(talosCluster: string, nodeName: string): PodOnNode[] {
    const pods = this.objectsOf(talosCluster)?.list('pods') ?? [];
    return pods
      .filter((pod) => at(pod, 'spec', 'nodeName') === nodeName)
      .map((pod) => ({
        namespace: pod.metadata.namespace ?? '',
        name: pod.metadata.name,
        containers: list(at(pod, 'spec', 'containers')).map((container) => ({
          name: string(at(container, 'name')) ?? '',
          image: string(at(container, 'image')) ?? '',
          running: at(pod, 'status', 'phase') === 'Running',
        })),
      }));
  }

  /** The cluster that runs now for these Talos secrets. */
  objectsOf(talosCluster: string): KubernetesLab['objects'] | undefined {
    return this.#clusterOf(talosCluster)?.cluster.objects;
  }

  /** Until the API servers that were told to start have started: a lab that is up has them. */
  async started(): Promise<void> {
    // A host may have gone down while no lab ran, and its machines with it.
    for (const [id, { feed }] of this.#clusters) feed.nodesAre(new Set(this.#toldOf.get(id)?.keys()));
    await this.#opening;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#clusters.values()].map((cluster) => cluster.close()));
    this.#clusters.clear();
    if (this.#temporary !== undefined) rmSync(this.#temporary, { recursive: true, force: true });
  }

  #start(id: string): KubernetesLab {
    const options = { ...this.options, cluster: id };
    const { real } = this.options;
    keepKind(this.core.store, real ? 'real' : 'simulated');
    const cluster = real
      ? startRealKubernetes(this.core, { folder: this.#folder(), ...real }, options)
      : startKubernetes(this.core, options);
    this.#clusters.set(id, cluster);
    return cluster;
  }

  /** For a lab in memory: its clusters' data go with it. */
  #folder(): string {
    this.#temporary ??= mkdtempSync(join(tmpdir(), 'oxherd-lab-'));
    return this.#temporary;
  }

  #clusterOf(talosCluster: string): { id: string; cluster: KubernetesLab } | undefined {
    for (const instance of this.#controlPlanes.values()) {
      const cluster = this.#clusters.get(instance.etcdCluster);
      if (instance.cluster === talosCluster && cluster) return { id: instance.etcdCluster, cluster };
    }
    return undefined;
  }

  /** A kubelet registers with whatever API server its cluster has; without one it goes on trying. */
  #tellNode(kubelet: Kubelet): void {
    const found = this.#clusterOf(kubelet.cluster);
    if (!found) return;
    const description = describeNode(kubelet);
    const machines = this.#toldOf.get(found.id) ?? new Map<string, number>();
    this.#toldOf.set(found.id, machines.set(kubelet.nodeName, kubelet.vmid));
    if (this.#isNews(`${found.id} node ${kubelet.nodeName}`, JSON.stringify(description))) {
      found.cluster.feed.nodeUp(description);
    }
  }

  #serve(cluster: KubernetesLab, id: string, ip: string): void {
    if (!this.#isNews(`${id} api ${ip}`, 'up')) return;
    const up = cluster.feed.apiServerUp(ip).catch((error: unknown) => {
      // The machine says again what is so, and it is tried again.
      this.#told.delete(`${id} api ${ip}`);
      const why = error instanceof Error ? error.message : String(error);
      this.options.notice?.(`the API server of ${ip} did not start: ${why}`);
    });
    this.core.clock.hold(up);
    this.#opening = Promise.all([this.#opening, up]);
  }

  #unserve(id: string, ip: string): void {
    const cluster = this.#clusters.get(id);
    if (cluster && this.#told.delete(`${id} api ${ip}`)) this.core.clock.hold(cluster.feed.apiServerDown(ip));
  }

  #isNews(subject: string, content: string): boolean {
    if (this.#told.get(subject) === content) return false;
    this.#told.set(subject, content);
    return true;
  }
}

function bodiesOf(config: string) {
  return readDocuments(config).map((document) => document.body);
}
