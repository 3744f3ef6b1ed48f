/**
 * What of a machine config takes hold on a running machine. The answer of a dry run is not enough: 1.14 always says no
 * reboot, 1.12 and 1.13 look at v1alpha1 alone.
 */
import { compareVersions, parseVersion } from '../../model/version.js';

/**
 * 1.12 and 1.13: the list in `CanApplyImmediate` (internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_runtime.go of
 * 1.13.9), less what it lets through and nobody acts upon before the next boot.
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
  // Read by an install or an upgrade, and by nobody before.
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
  'DummyLinkConfig',
  'EthernetConfig',
  'EventSinkConfig',
  'ExtensionServiceConfig',
  'HTTPProbeConfig',
  'HostnameConfig',
  'KernelModuleConfig',
  'KmsgLogConfig',
  'KubeSpanConfig',
  'KubeSpanEndpointsConfig',
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
  return [...LIVE_FIELDS, ...later].some((live) => path === live || path.startsWith(`${live}.`));
}

export function isLiveDocument(kind: string, isNew: boolean): boolean {
  return LIVE_KINDS.has(kind) || (isNew && LIVE_WHEN_NEW.has(kind));
}
