/** What the Kubernetes API says. Nothing is known while no API server answers, and that is no error. */
import { type ObjectRef, refKey } from '../design/kubernetes/managed-object.js';
import type { NodeTerm } from '../formats/kubernetes/node-selector.js';
import type { NodeTaint } from '../formats/marks/node-marks.js';
import { nodeObjectOf } from '../model/node-names.js';
import type { Known } from './observed.js';
import type { Found } from './observed-lists.js';

export interface ObservedKubernetes {
  /** Address → whether an API server answers there: the VIP and every control plane. */
  readonly endpoints: Readonly<Record<string, boolean>>;
  /** Address → when the certificate ends that the server there shows, in the wall's milliseconds; read for health only. */
  readonly servingUntil: Readonly<Record<string, number>>;
  /** The cluster's own time, milliseconds since the epoch: when a kubelet last renewed its lease. */
  readonly now: Known<number>;
  /** Of the server that answered. */
  readonly version: Known<string>;
  readonly nodes: Known<readonly KubeNode[]>;
  /** API servers, controller managers and schedulers, as the kubelets of the control planes report them. */
  readonly controlPlanePods: Known<readonly ControlPlanePod[]>;
  /** The objects we manage, by key; ask with `findObject`. */
  readonly objects: Readonly<Record<string, Found<ObservedObject>>>;
  /** Volumes and classes with our label, whether the design has them or not. */
  readonly ours: Known<readonly { readonly kind: string; readonly name: string }[]>;
  readonly cilium: Known<ObservedCilium>;
  /** Load balancer objects with our label; read where Cilium is in the design. */
  readonly loadBalancer: Known<readonly ObjectRef[]>;
  /** What oxherd has installed; `undefined`: neither Flux nor Argo CD. */
  readonly gitops: Known<ObservedGitops | undefined>;
  readonly csiSecret: Known<ObservedCsiSecret | undefined>;
  /** Whether and where the CSI driver runs; read where the design has CSI volumes or classes. */
  readonly csiDriver: Known<ObservedCsiDriver>;
  readonly sealedKey: Known<boolean>;
  /** Bundle version and channel of the Gateway API's definitions; `undefined`: they are not there. */
  readonly gatewayApi: Known<{ readonly version: string; readonly channel: string } | undefined>;
  readonly volumes: Known<readonly KubeVolume[]>;
  readonly claims: Known<readonly KubeClaim[]>;
  readonly attachments: Known<readonly KubeAttachment[]>;
  /** Read for health only. */
  readonly workloads: Known<readonly KubeWorkload[]>;
  readonly pods: Known<readonly KubePod[]>;
  readonly budgets: Known<readonly KubeBudget[]>;
  /** By name of the gate. */
  readonly gates: Readonly<Record<string, Known<GateObjects>>>;
}

/** The objects that a gate looks at. */
export type GateObjects =
  | { readonly served: true; readonly objects: readonly Readonly<Record<string, unknown>>[] }
  /** The cluster has no such resource; `alike` is what was probably meant, as a gate names it. */
  | { readonly served: false; readonly alike: readonly string[] };

export interface KubeNode {
  readonly name: string;
  readonly ready: boolean;
  readonly why: string;
  readonly unschedulable: boolean;
  /** By a run of ours that has not uncordoned it again. */
  readonly cordonedByUs: boolean;
  /** By us, because its host is in maintenance and it is off meanwhile. */
  readonly drained?: boolean;
  readonly kubeletVersion: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly NodeTaint[];
  /** What we noted on it of our own labels and taints. */
  readonly marks?: string;
  /** The SMBIOS uuid of its machine. */
  readonly systemUuid: string;
}

export interface ControlPlanePod {
  /** Name of the Node object that it runs on. */
  readonly node: string;
  /** `kube-apiserver` */
  readonly component: string;
  readonly image: string;
}

/** The only way to conclude that the cluster does not have an object. */
export function findObject(
  { objects }: Pick<ObservedKubernetes, 'objects'>,
  ref: ObjectRef,
): Found<ObservedObject> {
  return objects[refKey(ref)] ?? { state: 'unread', why: 'it was not asked for' };
}

/** The object of a node of the config. */
export function kubeNodeOf(node: string, objects: readonly KubeNode[]): KubeNode | undefined {
  return nodeObjectOf(node, objects, { nameOf: ({ name }) => name, isReady: ({ ready }) => ready });
}

export interface ObservedObject {
  readonly hash?: string;
  /** The live object without what the server keeps for itself; absent for secrets. */
  readonly live?: Readonly<Record<string, unknown>>;
}

export interface ObservedCilium {
  /** Of the agents; absent: Cilium is not there. */
  readonly version?: string;
  readonly desired: number;
  readonly ready: number;
  /** What stands on the values: set once they are in effect. */
  readonly appliedHash?: string;
  /** Cilium's GatewayClass is there. */
  readonly gatewayClass: boolean;
  /** The installer's cluster-admin binding is still there. */
  readonly binding: boolean;
}

export interface ObservedGitops {
  readonly engine: string;
  readonly version: string;
  readonly hash?: string;
}

export interface ObservedCsiSecret {
  readonly hash?: string;
  /** `user@realm!id` it gives the driver. */
  readonly tokenId: string;
}

export interface ObservedCsiDriver {
  /** Absent: not there, or installed under other names. */
  readonly controller?: { readonly wanted: number; readonly available: number };
  readonly plugins?: { readonly wanted: number; readonly available: number };
  /** Nodes whose kubelet knows the driver. */
  readonly registered: readonly string[];
}

export interface KubeVolume {
  readonly name: string;
  readonly phase: string;
  /** Bytes. */
  readonly capacity?: number;
  readonly handle?: string;
  /** The directory of the node that it is: `local` or `hostPath`. */
  readonly path?: string;
  /** Nodes that may mount it; absent: all. */
  readonly nodeTerms?: readonly NodeTerm[];
  readonly claim?: { readonly namespace: string; readonly name: string };
  readonly message: string;
}

export interface KubeClaim {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly volume?: string;
  readonly storageClass: string;
  /** Bytes asked for. */
  readonly request?: number;
  /** Bytes it has. */
  readonly capacity?: number;
  /** A pod mounts it. */
  readonly used: boolean;
  /** Milliseconds since the epoch, by the cluster's clock. */
  readonly created: number;
}

export interface KubeAttachment {
  readonly name: string;
  readonly node: string;
  readonly volume: string;
  readonly attached: boolean;
  readonly error?: string;
  readonly leaving: boolean;
  readonly created: number;
}

export interface KubeWorkload {
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  readonly namespace: string;
  readonly name: string;
  readonly wanted: number;
  readonly available: number;
}

export interface KubePod {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly ready: boolean;
  readonly node: string;
  /** `CrashLoopBackOff`, `ImagePullBackOff`; empty where nothing waits. */
  readonly waiting: string;
  readonly restarts: number;
  readonly created: number;
  readonly message: string;
}

export interface KubeBudget {
  readonly namespace: string;
  readonly name: string;
  readonly allowed: number;
  readonly expected: number;
}
