import { readYaml } from '../../formats/text/yaml-text.js';
import type { Resource } from './gen/cosi/resource/resource_pb.js';
import { EventType } from './gen/cosi/resource/state_pb.js';

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

export function readResource(resource: Resource | undefined): TalosResource {
  const metadata = resource?.metadata;
  return {
    namespace: metadata?.namespace ?? '',
    type: metadata?.type ?? '',
    id: metadata?.id ?? '',
    version: metadata?.version ?? '',
    labels: metadata?.labels ?? {},
    spec: readSpec(resource?.spec?.yamlSpec ?? ''),
  };
}

/** Go wrote it: YAML 1.1, where `off` is a boolean and 64-bit numbers are numbers. */
function readSpec(text: string): unknown {
  return text === '' ? undefined : readYaml(text, { version: '1.1' });
}

export function readEvent(event: {
  eventType: EventType;
  resource?: Resource | undefined;
  error?: string | undefined;
}): ResourceEvent | undefined {
  switch (event.eventType) {
    case EventType.CREATED:
      return { kind: 'created', resource: readResource(event.resource) };
    case EventType.UPDATED:
      return { kind: 'updated', resource: readResource(event.resource) };
    case EventType.DESTROYED:
      return { kind: 'destroyed', resource: readResource(event.resource) };
    case EventType.BOOTSTRAPPED:
      return { kind: 'bootstrapped' };
    case EventType.ERRORED:
      return { kind: 'errored', message: event.error ?? '' };
    default:
      return undefined;
  }
}
