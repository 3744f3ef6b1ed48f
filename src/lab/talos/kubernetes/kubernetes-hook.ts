/** How the machines tell the Kubernetes part what runs where. Calls may repeat: each says how things are now. */

export interface KubernetesHook {
  /** A kubelet runs and registers its node; called again when its labels, taints or version changed. */
  kubeletStarted(kubelet: Kubelet): void;
  kubeletStopped(vmid: number): void;
  /** API server, controller manager and scheduler run on this control plane; the API listens on `ip:6443`. */
  controlPlaneStarted(instance: ControlPlane): void;
  controlPlaneStopped(vmid: number): void;
  /** A shared address is held by another machine, or (`undefined`) by no one. */
  vipMoved(vip: string, holder: { readonly vmid: number; readonly ip: string } | undefined): void;
  /** Whether the cluster's API says the node is Ready; `undefined`: it cannot be asked. */
  nodeReady(cluster: string, nodeName: string): boolean | undefined;
  /** The pods of a node, for what a machine shows of its containers. */
  podsOn?(cluster: string, nodeName: string): readonly PodOnNode[];
}

export interface PodOnNode {
  readonly namespace: string;
  readonly name: string;
  readonly containers: readonly {
    readonly name: string;
    readonly image: string;
    readonly running: boolean;
  }[];
}

export interface Kubelet {
  readonly vmid: number;
  /** The Talos cluster's id from its secrets: two clusters of one name stay apart. */
  readonly cluster: string;
  readonly nodeName: string;
  readonly role: 'controlplane' | 'worker';
  readonly ip: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Key → `value:Effect`, as the machine config has them. */
  readonly taints: Readonly<Record<string, string>>;
  /** `v1.35.0` */
  readonly version: string;
  readonly talosVersion: string;
  readonly arch: string;
  readonly machineId: string;
  readonly systemUuid: string;
  /** Another one after every boot. */
  readonly bootId: string;
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
  readonly annotations: Readonly<Record<string, string>>;
  /** Of a control plane's static pods, whether their programs start or not. */
  readonly images: ControlPlane['images'];
  /** Static pods whose programs end at once, and what they print. */
  readonly failing: Readonly<Record<string, string>>;
}

export interface ControlPlane {
  readonly vmid: number;
  readonly cluster: string;
  readonly clusterName: string;
  readonly nodeName: string;
  readonly ip: string;
  /** References with their tags. */
  readonly images: {
    readonly apiServer: string;
    readonly controllerManager: string;
    readonly scheduler: string;
  };
  /** Objects live in etcd: another etcd cluster is another, empty Kubernetes. */
  readonly etcdCluster: string;
  /** The machine's whole config: certificate authorities, keys, endpoint, manifests. */
  readonly config: string;
}
