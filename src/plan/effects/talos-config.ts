/**
 * What a change of a machine config does to a running machine: at once, with a restart of a component, or at the next boot.
 * The answer of a dry run is not enough: 1.14 always says no reboot, 1.12 and 1.13 look at v1alpha1 only. A field that no
 * table names waits for a reboot. See README.md in this folder.
 */

import { losesMtu } from '../../formats/talos/link-mtus.js';
import { volumeKeys } from '../../formats/talos/volume-encryption.js';
import { isMapping } from '../../formats/text/mapping.js';
import { compareVersions, parseVersion } from '../../model/version.js';

/** One changed field: `machine.kubelet.image` of '', `routes` of `LinkConfig`, '' for a document that comes or goes. */
export interface FieldChange {
  /** Kind of the document; '' for v1alpha1. */
  readonly kind: string;
  readonly path: string;
  /** The values; `undefined`: there is none. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Parts of a machine that restart or are interrupted by a change, while its pods stay. */
export const COMPONENTS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubelet',
  'cri',
  'network',
] as const;
export type Component = (typeof COMPONENTS)[number];

interface Effect {
  /** `false`: it takes effect at the next boot. */
  readonly live: boolean;
  /** What restarts by it. */
  readonly restarts: readonly Component[];
  /** Whether Talos can take it back from a config that was tried. */
  readonly mayBeTried: boolean;
}

export function effectOf(change: FieldChange, talosVersion: string): Effect {
  const row = change.kind === '' ? fieldRow(change.path) : KINDS[change.kind];
  const live = isLive(change, row, talosVersion);
  return { live, restarts: live ? restartsOf(change, row) : [], mayBeTried: mayBeTried(change) };
}

interface Row {
  /** First version that acts on it without a reboot. */
  readonly since: string;
  readonly restarts?: readonly Component[];
}

const ALWAYS: Row = { since: 'v1.12.0' };
const restarting = (...restarts: readonly Component[]): Row => ({ ...ALWAYS, restarts });
/** Measured on a real 1.14.1 machine; up to 1.13 they waited for a boot. */
const SINCE_1_14: Row = { since: 'v1.14.0' };

const STATIC_PODS = ['kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

/**
 * Fields of v1alpha1; the longest match counts. 1.12 and 1.13: `CanApplyImmediate`
 * (internal/app/machined/pkg/runtime/v1alpha1/v1alpha1_runtime.go of 1.13.9), less what it lets through and nothing acts
 * on before the next boot. 1.14 compares nothing: what a controller follows, as seen in the resources of a real machine.
 */
const FIELDS: Readonly<Record<string, Row>> = {
  debug: ALWAYS,
  'cluster.acceptedCAs': restarting(...STATIC_PODS, 'kubelet'),
  'cluster.aescbcEncryptionSecret': restarting(...STATIC_PODS),
  'cluster.aggregatorCA': restarting(...STATIC_PODS),
  'cluster.allowSchedulingOnControlPlanes': ALWAYS,
  'cluster.apiServer': restarting('kube-apiserver'),
  'cluster.ca': restarting(...STATIC_PODS, 'kubelet'),
  'cluster.controlPlane': restarting('kubelet'),
  'cluster.controllerManager': restarting('kube-controller-manager'),
  // Manifests, which Talos applies through the API.
  'cluster.coreDNS': ALWAYS,
  'cluster.extraManifestHeaders': ALWAYS,
  'cluster.extraManifests': ALWAYS,
  'cluster.inlineManifests': ALWAYS,
  'cluster.network.cni': ALWAYS,
  'cluster.proxy': ALWAYS,
  'cluster.discovery': ALWAYS,
  'cluster.scheduler': restarting('kube-scheduler'),
  'cluster.secretboxEncryptionSecret': restarting(...STATIC_PODS),
  'cluster.serviceAccount': restarting(...STATIC_PODS),
  'machine.acceptedCAs': ALWAYS,
  'machine.ca': ALWAYS,
  'machine.certSANs': ALWAYS,
  'machine.controlPlane': ALWAYS,
  'machine.controlPlane.controllerManager': restarting('kube-controller-manager'),
  'machine.controlPlane.scheduler': restarting('kube-scheduler'),
  'machine.features.hostDNS': restarting('network'),
  'machine.features.imageCache': ALWAYS,
  'machine.features.kubePrism': restarting('kubelet'),
  'machine.features.kubernetesTalosAPIAccess': ALWAYS,
  'machine.features.nodeAddressSortAlgorithm': restarting('network'),
  // Parts of containerd's config; see isLive.
  'machine.files': { ...SINCE_1_14, restarts: ['cri'] },
  // Read by an install or an upgrade only.
  'machine.install': ALWAYS,
  'machine.kernel': ALWAYS,
  'machine.kubelet': restarting('kubelet'),
  'machine.logging': ALWAYS,
  'machine.network': restarting('network'),
  'machine.network.hostname': restarting('kubelet'),
  'machine.nodeAnnotations': ALWAYS,
  'machine.nodeLabels': ALWAYS,
  'machine.nodeTaints': ALWAYS,
  'machine.pods': ALWAYS,
  // Up to 1.13 "auth is not applied immediately" (same place); 1.14 restarts cri.
  'machine.registries.config': { ...SINCE_1_14, restarts: ['cri'] },
  'machine.registries.mirrors': ALWAYS,
  'machine.seccompProfiles': ALWAYS,
  'machine.sysctls': ALWAYS,
  'machine.sysfs': ALWAYS,
  'machine.time': ALWAYS,
  // controllers/files/udev.go
  'machine.udev': SINCE_1_14,
};

/** Documents that a controller follows, whatever changes in them. */
const KINDS: Readonly<Record<string, Row>> = {
  BlackholeRouteConfig: restarting('network'),
  BondConfig: restarting('network'),
  BridgeConfig: restarting('network'),
  CRICustomizationConfig: { ...SINCE_1_14, restarts: ['cri'] },
  DHCPv4Config: restarting('network'),
  DHCPv6Config: restarting('network'),
  DiscoveryServiceConfig: ALWAYS,
  DummyLinkConfig: ALWAYS,
  EtcFileConfig: SINCE_1_14,
  EthernetConfig: restarting('network'),
  EventSinkConfig: ALWAYS,
  ExtensionServiceConfig: ALWAYS,
  FilesystemTrimConfig: SINCE_1_14,
  HTTPProbeConfig: ALWAYS,
  HostnameConfig: restarting('kubelet'),
  KernelModuleConfig: ALWAYS,
  KmsgLogConfig: ALWAYS,
  KubeAPIServerConfig: restarting('kube-apiserver'),
  KubeAdmissionControlConfig: restarting('kube-apiserver'),
  KubeAuditPolicyConfig: restarting('kube-apiserver'),
  KubeAuthenticationConfig: restarting('kube-apiserver'),
  KubeAuthorizerConfig: restarting('kube-apiserver'),
  KubeClusterConfig: restarting('kubelet'),
  KubeControllerManagerConfig: restarting('kube-controller-manager'),
  KubeCoreDNSConfig: ALWAYS,
  KubeCredentialProviderConfig: restarting('kubelet'),
  KubeExternalManifestConfig: ALWAYS,
  KubeFlannelCNIConfig: ALWAYS,
  KubeInlineManifestConfig: ALWAYS,
  KubeNodeConfig: restarting('kubelet'),
  KubePrismConfig: restarting('kubelet'),
  KubeProxyConfig: ALWAYS,
  KubeSchedulerConfig: restarting('kube-scheduler'),
  KubeSpanConfig: restarting('network'),
  KubeSpanEndpointsConfig: ALWAYS,
  KubeStaticPodConfig: ALWAYS,
  KubeTalosAPIAccessConfig: ALWAYS,
  KubeletConfig: restarting('kubelet'),
  Layer2VIPConfig: restarting('network'),
  LinkAliasConfig: restarting('network'),
  LinkConfig: restarting('network'),
  NetworkDefaultActionConfig: restarting('network'),
  NetworkRuleConfig: restarting('network'),
  OOMConfig: ALWAYS,
  RegistryAuthConfig: { ...SINCE_1_14, restarts: ['cri'] },
  RegistryMirrorConfig: ALWAYS,
  RegistryTLSConfig: ALWAYS,
  ResolverConfig: restarting('network'),
  RoutingRuleConfig: restarting('network'),
  StaticHostConfig: ALWAYS,
  SysctlConfig: ALWAYS,
  SysfsConfig: ALWAYS,
  TCPProbeConfig: ALWAYS,
  TimeSyncConfig: ALWAYS,
  TrustedRootsConfig: SINCE_1_14,
  UdevRulesConfig: ALWAYS,
  VLANConfig: restarting('network'),
  VRFConfig: restarting('network'),
  VethConfig: restarting('network'),
  WatchdogTimerConfig: ALWAYS,
  WireguardConfig: restarting('network'),
};

/** A new one is made at once. */
const LIVE_WHEN_NEW = new Set([
  'ExistingVolumeConfig',
  'ExternalVolumeConfig',
  'RawVolumeConfig',
  'SwapVolumeConfig',
  'UserVolumeConfig',
]);

/** 1.14 closes a user volume whose document is removed; it is found again when the document returns. */
const LIVE_WHEN_REMOVED: Readonly<Record<string, Row>> = { UserVolumeConfig: SINCE_1_14 };

/** Labels and taints are set by the kubelet's side of Talos without a restart. */
const QUIET_FIELDS: Readonly<Record<string, readonly string[]>> = {
  KubeNodeConfig: ['labels', 'taints', 'annotations'],
};

function isLive(change: FieldChange, row: Row | undefined, talosVersion: string): boolean {
  const { kind, path, before, after } = change;
  const isRemoved = after === undefined;
  if (kind === '' && isBelow(path, 'machine.files'))
    return isSince(row, talosVersion) && isCriPart(before, after);
  // A value with choices (transparent_hugepage) does not go back before a reboot.
  if (isRemoved && (kind === 'SysfsConfig' || isBelow(`${kind}${path}`, 'machine.sysfs'))) return false;
  // An MTU that is removed stays on the link until a reboot; until then the running config keeps naming it.
  if (row?.restarts?.includes('network') && path === 'mtu' && isRemoved) return false;
  if (kind === '' && path === 'machine.network.interfaces' && losesMtu(before, after)) return false;
  if (row) return isSince(row, talosVersion);
  if (path !== '') return isQuietVolumeField(change);
  // A TPM key can be made at boot only: later "failed to lock PCR 11".
  if (before === undefined) return LIVE_WHEN_NEW.has(kind) && !hasTpmKey(after);
  return isRemoved && isSince(LIVE_WHEN_REMOVED[kind], talosVersion);
}

function isSince(row: Row | undefined, talosVersion: string): boolean {
  const [version, first] = [parseVersion(talosVersion), parseVersion(row?.since ?? '')];
  return version !== undefined && first !== undefined && compareVersions(version, first) >= 0;
}

function fieldRow(path: string): Row | undefined {
  const match = Object.keys(FIELDS)
    .filter((field) => isBelow(path, field))
    .reduce((longest, field) => (field.length > longest.length ? field : longest), '');
  return FIELDS[match];
}

function restartsOf({ kind, path }: FieldChange, row: Row | undefined): readonly Component[] {
  const quiet = QUIET_FIELDS[kind] ?? [];
  return quiet.some((prefix) => isBelow(path, prefix)) ? [] : (row?.restarts ?? []);
}

const CRI_PARTS = '/etc/cri/conf.d/';

/** Only files that differ count: parts of containerd's config restart cri, every other file is written at boot. */
function isCriPart(before: unknown, after: unknown): boolean {
  if (![before, after].every((list) => list === undefined || Array.isArray(list))) return false;
  const [old, wanted] = [before, after].map((list) => (Array.isArray(list) ? list : []));
  const texts = [old, wanted].map((list) => new Set((list ?? []).map((file) => JSON.stringify(file))));
  const differing = [...(old ?? []), ...(wanted ?? [])].filter(
    (file) => !texts.every((list) => list.has(JSON.stringify(file))),
  );
  return differing.every(
    (file) => isMapping(file) && typeof file.path === 'string' && file.path.startsWith(CRI_PARTS),
  );
}

function hasTpmKey(document: unknown): boolean {
  const keys = isMapping(document) ? [...volumeKeys([document]).values()].flat() : [];
  return keys.some(({ kind }) => kind === 'tpm');
}

/** What Talos takes where a volume's document does not say it. */
const VOLUME_DEFAULTS: Readonly<Record<string, unknown>> = {
  'VolumeConfig provisioning.grow': true,
  'UserVolumeConfig filesystem.type': 'xfs',
};

/** A selector is evaluated when a volume is made: a volume that exists stays on its disk. */
function isQuietVolumeField({ kind, path, before, after }: FieldChange): boolean {
  if (kind !== 'VolumeConfig' && kind !== 'UserVolumeConfig') return false;
  if (isBelow(path, 'provisioning.diskSelector')) return true;
  const byDefault = VOLUME_DEFAULTS[`${kind} ${path}`];
  return byDefault !== undefined && (before ?? byDefault) === (after ?? byDefault);
}

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
  'cluster.extraManifestHeaders',
  'cluster.extraManifests',
  'cluster.inlineManifests',
  'cluster.network',
  'cluster.proxy',
  'cluster.secretboxEncryptionSecret',
  'cluster.serviceAccount',
  'machine.acceptedCAs',
  'machine.ca',
  'machine.kubelet.registerWithFQDN',
  'machine.network.hostname',
];
const NEVER_TRIED_KINDS =
  /^(HostnameConfig|.*Volume.*Config|LVM.*|RAID.*|Kube(APIServerCA|AggregatorCA|EtcdEncryption|ServiceAccount|ExternalManifest|InlineManifest|CoreDNS|Proxy|FlannelCNI|Network)Config|Discovery.*Config|.*CA.*Config)$/;

function mayBeTried({ kind, path }: FieldChange): boolean {
  if (kind !== '') return !NEVER_TRIED_KINDS.test(kind);
  return !NEVER_TRIED_FIELDS.some((prefix) => isBelow(path, prefix));
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}.`);
}
