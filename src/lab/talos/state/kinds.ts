/** The kinds of resources the lab's machines know. A kind that is not here does not exist for its API. */

export interface Kind {
  readonly type: string;
  readonly namespace: string;
  readonly display: string;
  readonly aliases: readonly string[];
  /** Only admins read it. */
  readonly sensitive: boolean;
}

function kind(type: string, namespace: string, display: string, aliases: readonly string[] = []): Kind {
  return { type, namespace, display, aliases, sensitive: false };
}

function secret(type: string, namespace: string, display: string, aliases: readonly string[] = []): Kind {
  return { type, namespace, display, aliases, sensitive: true };
}

export const KINDS: readonly Kind[] = [
  kind('Namespaces.meta.cosi.dev', 'meta', 'Namespace', ['ns']),
  kind('ResourceDefinitions.meta.cosi.dev', 'meta', 'ResourceDefinition', ['rd', 'rds']),
  kind('MachineStatuses.runtime.talos.dev', 'runtime', 'MachineStatus'),
  kind('Versions.runtime.talos.dev', 'runtime', 'Version'),
  kind('ExtensionStatuses.runtime.talos.dev', 'runtime', 'ExtensionStatus', ['extensions']),
  kind('UnattendedInstallStatuses.runtime.talos.dev', 'runtime', 'UnattendedInstallStatus'),
  kind('SystemInformations.hardware.talos.dev', 'hardware', 'SystemInformation', ['systeminfo']),
  kind('Services.v1alpha1.talos.dev', 'runtime', 'Service', ['svc']),
  kind('TimeStatuses.v1alpha1.talos.dev', 'runtime', 'TimeStatus'),
  kind('Disks.block.talos.dev', 'runtime', 'Disk', ['disks']),
  kind('SystemDisks.block.talos.dev', 'runtime', 'SystemDisk'),
  kind('DiscoveredVolumes.block.talos.dev', 'runtime', 'DiscoveredVolume', ['dv']),
  kind('VolumeStatuses.block.talos.dev', 'runtime', 'VolumeStatus', ['volumestatus']),
  secret('VolumeConfigs.block.talos.dev', 'runtime', 'VolumeConfig'),
  secret('MachineConfigs.config.talos.dev', 'config', 'MachineConfig', ['machineconfig', 'mc', 'mcs']),
  kind('MachineTypes.config.talos.dev', 'config', 'MachineType'),
  kind('Members.cluster.talos.dev', 'cluster', 'Member'),
  kind('Affiliates.cluster.talos.dev', 'cluster', 'Affiliate'),
  kind('Identities.cluster.talos.dev', 'cluster', 'Identity'),
  kind('NodeAddresses.net.talos.dev', 'network', 'NodeAddress'),
  kind('AddressStatuses.net.talos.dev', 'network', 'AddressStatus', ['address', 'addresses']),
  kind('LinkStatuses.net.talos.dev', 'network', 'LinkStatus', ['link', 'links']),
  kind('HostnameStatuses.net.talos.dev', 'network', 'HostnameStatus', ['hostname']),
  kind('NetworkStatuses.net.talos.dev', 'network', 'NetworkStatus', ['netstatus']),
  kind('ResolverStatuses.net.talos.dev', 'network', 'ResolverStatus', ['resolvers']),
  kind('RouteStatuses.net.talos.dev', 'network', 'RouteStatus', ['route', 'routes']),
  secret('LinkSpecs.net.talos.dev', 'network', 'LinkSpec'),
  kind('EtcdMembers.etcd.talos.dev', 'etcd', 'EtcdMember'),
  kind('Manifests.kubernetes.talos.dev', 'controlplane', 'Manifest', ['manifests']),
  kind('Nodenames.kubernetes.talos.dev', 'k8s', 'Nodename'),
  kind('NodeStatuses.kubernetes.talos.dev', 'k8s', 'NodeStatus'),
  kind('StaticPodStatuses.kubernetes.talos.dev', 'k8s', 'StaticPodStatus', ['podstatus']),
  secret('Manifests.kubernetes.talos.dev', 'controlplane', 'Manifest'),
  secret('KubeletConfigs.kubernetes.talos.dev', 'k8s', 'KubeletConfig'),
  secret('ApiCertificates.secrets.talos.dev', 'secrets', 'ApiCertificate'),
  secret('OSRootSecrets.secrets.talos.dev', 'secrets', 'OSRootSecret'),
  secret('EtcdRootSecrets.secrets.talos.dev', 'secrets', 'EtcdRootSecret'),
  secret('KubernetesRootSecrets.secrets.talos.dev', 'secrets', 'KubernetesRootSecret'),
  secret('KubernetesSecrets.secrets.talos.dev', 'secrets', 'KubernetesSecret'),
  secret('KubeletSecrets.secrets.talos.dev', 'secrets', 'KubeletSecret'),
  secret('TrustdCertificates.secrets.talos.dev', 'secrets', 'TrustdCertificate'),
];

export const NAMESPACES: Readonly<Record<string, string>> = {
  cluster: 'Cluster members and discovery.',
  config: 'Machine configuration.',
  controlplane: 'Kubernetes control plane.',
  etcd: 'etcd.',
  hardware: 'Hardware.',
  k8s: 'Kubernetes node.',
  meta: 'Resources about resources.',
  network: 'Network.',
  runtime: 'Runtime.',
  secrets: 'Certificates and keys.',
};

const byLowerType = new Map(KINDS.map((one) => [one.type.toLowerCase(), one]));

/** The access check looks types up in lower case; the store itself does not (recording `COSI type in lower case`). */
export function findKind(type: string): Kind | undefined {
  return byLowerType.get(type.toLowerCase());
}
