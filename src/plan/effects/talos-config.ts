/**
 * What of a machine config takes effect on a running machine, and what restarts with it. The answer of a dry run is not
 * enough: 1.14 always says no reboot, 1.12 and 1.13 look at v1alpha1 alone. See README.md in this folder.
 */
import { compareVersions, parseVersion } from '../../model/version.js';

/**
 * 1.12 and 1.13: the list in `CanApplyImmediate` (internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_runtime.go of
 * 1.13.9), less what it lets through and no one acts upon before the next boot.
 */
const LIVE_FIELDS = [
  'debug',
  'cluster',
  'machine.ca',
  'machine.acceptedCAs',
  'machine.certSANs',
  'machine.controlPlane',
  'machine.features.hostDNS',
  'machine.features.imageCache',
  'machine.features.kubePrism',
  'machine.features.kubernetesTalosAPIAccess',
  'machine.features.nodeAddressSortAlgorithm',
  // Read by an install or an upgrade, and by no one before.
  'machine.install',
  'machine.kernel',
  'machine.kubelet',
  'machine.logging',
  'machine.network',
  'machine.nodeAnnotations',
  'machine.nodeLabels',
  'machine.nodeTaints',
  'machine.pods',
  // Without `config`: containerd reads logins when it starts ("auth is not applied immediately", same place).
  'machine.registries.mirrors',
  'machine.seccompProfiles',
  'machine.sysctls',
  'machine.sysfs',
  'machine.time',
];

/** Taken without a reboot, and read by no one before one: etcd reads its options when its service starts. */
const REBOOT_FIELDS = ['cluster.etcd'];

/**
 * 1.14 compares nothing (`ApplyConfiguration` in internal/server/v1alpha1/v1alpha1_server.go of 1.14.1): live is what
 * a controller follows. Boot alone does environment, files and disks (`Boot` in v1alpha1_sequencer.go) and mounts the
 * volumes, with their quota and encryption.
 */
const LIVE_FIELDS_SINCE: readonly { readonly since: string; readonly fields: readonly string[] }[] = [
  // controllers/files/udev.go
  { since: 'v1.14.0', fields: ['machine.udev'] },
];

/** Documents that a controller follows, whatever changes in them. */
const LIVE_KINDS = new Set([
  'BlackholeRouteConfig',
  'BondConfig',
  'BridgeConfig',
  'DHCPv4Config',
  'DHCPv6Config',
  'DiscoveryServiceConfig',
  'DummyLinkConfig',
  'EthernetConfig',
  'EventSinkConfig',
  'ExtensionServiceConfig',
  'HTTPProbeConfig',
  'HostnameConfig',
  'KernelModuleConfig',
  'KmsgLogConfig',
  'KubeAPIServerConfig',
  'KubeAdmissionControlConfig',
  'KubeAuditPolicyConfig',
  'KubeAuthenticationConfig',
  'KubeAuthorizerConfig',
  'KubeClusterConfig',
  'KubeControllerManagerConfig',
  'KubeCoreDNSConfig',
  'KubeCredentialProviderConfig',
  'KubeExternalManifestConfig',
  'KubeFlannelCNIConfig',
  'KubeInlineManifestConfig',
  'KubeNodeConfig',
  'KubePrismConfig',
  'KubeProxyConfig',
  'KubeSchedulerConfig',
  'KubeSpanConfig',
  'KubeSpanEndpointsConfig',
  'KubeStaticPodConfig',
  'KubeTalosAPIAccessConfig',
  'KubeletConfig',
  'Layer2VIPConfig',
  'LinkAliasConfig',
  'LinkConfig',
  'NetworkDefaultActionConfig',
  'NetworkRuleConfig',
  'OOMConfig',
  'RegistryMirrorConfig',
  'RegistryTLSConfig',
  'ResolverConfig',
  'RoutingRuleConfig',
  'StaticHostConfig',
  'SysctlConfig',
  'SysfsConfig',
  'TCPProbeConfig',
  'TimeSyncConfig',
  'UdevRulesConfig',
  'VLANConfig',
  'VRFConfig',
  'VethConfig',
  'WatchdogTimerConfig',
  'WireguardConfig',
]);

/** Parts of a machine that restart or are interrupted by a change, while its pods stay. */
export const COMPONENTS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'network',
] as const;
export type Component = (typeof COMPONENTS)[number];

/** Fields of v1alpha1, the longest match first. */
const COMPONENT_FIELDS: readonly (readonly [string, Component])[] = [
  ['cluster.apiServer', 'kube-apiserver'],
  ['cluster.controllerManager', 'kube-controller-manager'],
  ['cluster.scheduler', 'kube-scheduler'],
  ['cluster.controlPlane', 'kubelet'],
  ['machine.controlPlane.controllerManager', 'kube-controller-manager'],
  ['machine.controlPlane.scheduler', 'kube-scheduler'],
  ['machine.kubelet', 'kubelet'],
  ['machine.features.hostDNS', 'network'],
  ['machine.features.kubePrism', 'kubelet'],
  ['machine.features.nodeAddressSortAlgorithm', 'network'],
  ['machine.network', 'network'],
];

const COMPONENT_KINDS: Readonly<Record<string, Component>> = {
  BlackholeRouteConfig: 'network',
  BondConfig: 'network',
  BridgeConfig: 'network',
  DHCPv4Config: 'network',
  DHCPv6Config: 'network',
  EthernetConfig: 'network',
  KubeAPIServerConfig: 'kube-apiserver',
  KubeAdmissionControlConfig: 'kube-apiserver',
  KubeAuditPolicyConfig: 'kube-apiserver',
  KubeAuthenticationConfig: 'kube-apiserver',
  KubeAuthorizerConfig: 'kube-apiserver',
  KubeClusterConfig: 'kubelet',
  KubeControllerManagerConfig: 'kube-controller-manager',
  KubeCredentialProviderConfig: 'kubelet',
  KubeNodeConfig: 'kubelet',
  KubePrismConfig: 'kubelet',
  KubeSchedulerConfig: 'kube-scheduler',
  KubeSpanConfig: 'network',
  KubeletConfig: 'kubelet',
  Layer2VIPConfig: 'network',
  LinkAliasConfig: 'network',
  LinkConfig: 'network',
  NetworkDefaultActionConfig: 'network',
  NetworkRuleConfig: 'network',
  ResolverConfig: 'network',
  RoutingRuleConfig: 'network',
  VLANConfig: 'network',
  VRFConfig: 'network',
  VethConfig: 'network',
  WireguardConfig: 'network',
};

/** Labels and taints are set by the kubelet's side of Talos without a restart. */
const QUIET_FIELDS: Readonly<Record<string, readonly string[]>> = {
  KubeNodeConfig: ['labels', 'taints', 'annotations'],
};

/**
 * What Talos does with these does not go back with a config that was tried: keys, manifests and names are in the
 * cluster by then.
 */
const NEVER_TRIED_FIELDS = [
  'cluster.acceptedCAs',
  'cluster.aescbcEncryptionSecret',
  'cluster.aggregatorCA',
  'cluster.ca',
  'cluster.coreDNS',
  'cluster.etcd',
  'cluster.externalCloudProvider',
  'cluster.extraManifestHeaders',
  'cluster.extraManifests',
  'cluster.id',
  'cluster.inlineManifests',
  'cluster.network',
  'cluster.proxy',
  'cluster.secret',
  'cluster.secretboxEncryptionSecret',
  'cluster.serviceAccount',
  'cluster.token',
  'machine.acceptedCAs',
  'machine.ca',
  'machine.disks',
  'machine.kubelet.registerWithFQDN',
  'machine.network.hostname',
  'machine.systemDiskEncryption',
  'machine.token',
];
const NEVER_TRIED_KINDS =
  /^(HostnameConfig|.*Volume.*Config|LVM.*|RAID.*|Kube(APIServerCA|AggregatorCA|EtcdEncryption|ServiceAccount|ExternalManifest|InlineManifest|CoreDNS|Proxy|FlannelCNI|Network)Config|Discovery.*Config|.*CA.*Config)$/;

/** `undefined`: nothing restarts by it. */
export function componentOf(field: ChangedField): Component | undefined {
  if (field.kind === MAIN) {
    return COMPONENT_FIELDS.find(([prefix]) => isBelow(field.path, prefix))?.[1];
  }
  const quiet = QUIET_FIELDS[field.kind] ?? [];
  return quiet.some((prefix) => isBelow(field.path, prefix)) ? undefined : COMPONENT_KINDS[field.kind];
}

export function mayBeTried(field: ChangedField): boolean {
  if (field.kind !== MAIN) return !NEVER_TRIED_KINDS.test(field.kind);
  return !NEVER_TRIED_FIELDS.some((prefix) => isBelow(field.path, prefix));
}

/** The kind of the document that has none. */
const MAIN = '';

/** One changed field: `machine.kubelet.image` of '', `routes` of `LinkConfig`. */
export interface ChangedField {
  readonly kind: string;
  readonly path: string;
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`);
}

/** A new one is made at once; one that changes or goes is in use until the reboot. */
const LIVE_WHEN_NEW = new Set([
  'ExistingVolumeConfig',
  'ExternalVolumeConfig',
  'RawVolumeConfig',
  'SwapVolumeConfig',
  'UserVolumeConfig',
]);

/** `path` below v1alpha1: `machine.kubelet.extraArgs`. */
export function isLiveField(path: string, talosVersion: string): boolean {
  const version = parseVersion(talosVersion);
  const later = LIVE_FIELDS_SINCE.flatMap(({ since, fields }) => {
    const first = parseVersion(since);
    return version && first && compareVersions(version, first) >= 0 ? fields : [];
  });
  if (REBOOT_FIELDS.some((reboot) => isBelow(path, reboot))) return false;
  return [...LIVE_FIELDS, ...later].some((live) => isBelow(path, live));
}

/** What Talos takes where a volume's document does not say it. */
const VOLUME_DEFAULTS: Readonly<Record<string, unknown>> = {
  'VolumeConfig provisioning.grow': true,
  'UserVolumeConfig filesystem.type': 'xfs',
};

/** A selector is looked at when a volume is made: one that is there stays where it is. */
export function isQuietVolumeField({ kind, path }: ChangedField, before: unknown, after: unknown): boolean {
  if (kind !== 'VolumeConfig' && kind !== 'UserVolumeConfig') return false;
  if (isBelow(path, 'provisioning.diskSelector')) return true;
  const byDefault = VOLUME_DEFAULTS[`${kind} ${path}`];
  return byDefault !== undefined && (before ?? byDefault) === (after ?? byDefault);
}

export function isLiveDocument(kind: string, isNew: boolean): boolean {
  return LIVE_KINDS.has(kind) || (isNew && LIVE_WHEN_NEW.has(kind));
}
