/** A kind of resource in a node's state. */
export interface ResourceKind {
  readonly namespace: string;
  readonly type: string;
}

/** The kinds oxherd reads. */
export const RESOURCES = {
  machineStatus: { namespace: 'runtime', type: 'MachineStatuses.runtime.talos.dev' },
  machineConfig: { namespace: 'config', type: 'MachineConfigs.config.talos.dev' },
  systemInformation: { namespace: 'hardware', type: 'SystemInformations.hardware.talos.dev' },
  services: { namespace: 'runtime', type: 'Services.v1alpha1.talos.dev' },
  disks: { namespace: 'runtime', type: 'Disks.block.talos.dev' },
  systemDisk: { namespace: 'runtime', type: 'SystemDisks.block.talos.dev' },
  discoveredVolumes: { namespace: 'runtime', type: 'DiscoveredVolumes.block.talos.dev' },
  volumeStatus: { namespace: 'runtime', type: 'VolumeStatuses.block.talos.dev' },
  members: { namespace: 'cluster', type: 'Members.cluster.talos.dev' },
  nodeAddresses: { namespace: 'network', type: 'NodeAddresses.net.talos.dev' },
  addressStatus: { namespace: 'network', type: 'AddressStatuses.net.talos.dev' },
  linkStatus: { namespace: 'network', type: 'LinkStatuses.net.talos.dev' },
  hostnameStatus: { namespace: 'network', type: 'HostnameStatuses.net.talos.dev' },
  timeStatus: { namespace: 'runtime', type: 'TimeStatuses.v1alpha1.talos.dev' },
  etcdMember: { namespace: 'etcd', type: 'EtcdMembers.etcd.talos.dev' },
  nodename: { namespace: 'k8s', type: 'Nodenames.kubernetes.talos.dev' },
  staticPodStatus: { namespace: 'k8s', type: 'StaticPodStatuses.kubernetes.talos.dev' },
  manifests: { namespace: 'controlplane', type: 'Manifests.kubernetes.talos.dev' },
  extensionStatus: { namespace: 'runtime', type: 'ExtensionStatuses.runtime.talos.dev' },
} as const satisfies Record<string, ResourceKind>;

export interface TalosResource {
  readonly namespace: string;
  readonly type: string;
  readonly id: string;
  readonly version: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The spec as YAML says it: unknown shape, to be parsed by whoever reads the kind. */
  readonly spec: unknown;
}

export type ResourceEvent =
  | { readonly kind: 'created' | 'updated' | 'destroyed'; readonly resource: TalosResource }
  /** Everything that was there when the watch began has been sent. */
  | { readonly kind: 'bootstrapped' }
  | { readonly kind: 'errored'; readonly message: string };
