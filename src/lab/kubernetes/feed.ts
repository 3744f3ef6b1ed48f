import type { CertificateAndKey } from './certificates.js';

/**
 * How the machines of a cluster tell Kubernetes what they do; the Talos part of the lab calls it.
 * Every call may be repeated: after a restart of the lab's process it is simply told again what is so.
 */
export interface KubernetesFeed {
  /** What the machine configs say of the cluster; needed before the first API server. */
  cluster(description: ClusterDescription): void;
  /** The kubelet of this machine runs: it registers, or comes back. A changed description is taken over. */
  nodeUp(node: NodeDescription): void;
  /** The kubelet stopped, with its machine or without. */
  nodeDown(name: string): void;
  /** When the lab's process has started: kubelets that ran before it and are not among these have stopped meanwhile. */
  nodesAre(names: ReadonlySet<string>): void;
  /** An API server answers on this address: a control plane's own, or the VIP that one of them holds. */
  apiServerUp(ip: string): Promise<void>;
  apiServerDown(ip: string): Promise<void>;
  /** Without quorum the API servers live, but serve nothing. */
  etcdQuorum(holds: boolean): void;
  /** Manifests that Talos creates where they are missing and never updates (inline and extra manifests). */
  manifests(objects: readonly unknown[]): void;
}

export interface ClusterDescription {
  /** The authority that signs API servers and clients. */
  readonly authority: CertificateAndKey;
  /** `v1.36.0`: of the API servers. */
  readonly version: string;
  /** Addresses and names that the API servers' certificates carry besides their own. */
  readonly certificateNames?: readonly string[];
  /** PEM of the key that signs the tokens of service accounts. */
  readonly serviceAccountKey?: string;
  /** `https://…`: where clients find the API. */
  readonly endpoint?: string;
  readonly serviceSubnets?: readonly string[];
  /** Admission plugins that are configured, as the machine config has them. */
  readonly admissionControl?: readonly { readonly name: string; readonly configuration: unknown }[];
  /** `flannel` comes with Talos; `none`: nodes are not ready until someone installs a network. */
  readonly cni: 'flannel' | 'none';
  readonly kubeProxy: boolean;
  readonly coreDns: boolean;
  /** Images of the system's pods, by component; the usual ones where nothing is said. */
  readonly images?: Partial<Record<SystemComponent, string>>;
}

export type SystemComponent =
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kube-proxy'
  | 'coredns'
  | 'flannel';

export interface NodeTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

export interface NodeDescription {
  readonly name: string;
  readonly ip: string;
  readonly controlPlane: boolean;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly NodeTaint[];
  /** Taints that the kubelet registers its node with; later it may not change them. */
  readonly registersWith?: readonly NodeTaint[];
  /** `v1.36.0`. */
  readonly kubeletVersion: string;
  /** `Talos (v1.14.1)`. */
  readonly osImage: string;
  readonly kernel: string;
  readonly containerRuntime?: string;
  /** The SMBIOS uuid. */
  readonly systemUUID: string;
  readonly machineID?: string;
  /** Changes with every boot. */
  readonly bootID?: string;
  readonly providerID?: string;
  readonly cores: number;
  readonly memory: number;
  /** Images of this control plane's static pods: they differ while Kubernetes is being upgraded. */
  readonly staticPods?: Partial<
    Record<'kube-apiserver' | 'kube-controller-manager' | 'kube-scheduler', string>
  >;
  /** Static pods whose programs end as soon as they are started, and what they print. */
  readonly failing?: Readonly<Record<string, string>>;
}

/** What the CSI driver does on the hypervisor; the lab's Proxmox part can bring one. */
export interface CsiBackend {
  /** Makes a volume; the answer is its handle. Throws with the driver's message. */
  create?(request: {
    name: string;
    bytes: number;
    parameters: Readonly<Record<string, string>>;
    zone: string;
  }): string;
  delete?(handle: string): void;
  /** Throws with the driver's message where the volume cannot be attached. */
  attach(handle: string, node: string): void;
  detach(handle: string, node: string): void;
  /** What the node plugin calls itself: `name/vmid`. */
  nodeId?(node: string): string;
  /** Brings an attached volume to this size. */
  expand?(handle: string, node: string, bytes: number): void;
}
