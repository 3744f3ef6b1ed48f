/** What differs between two machine configs, and whether it can take hold without a reboot. */
import { createTwoFilesPatch } from 'diff';

export interface ConfigChange {
  readonly mode: 'no-reboot' | 'staged';
  /** `machine.kubelet.extraArgs`, `VolumeConfig/EPHEMERAL.provisioning` */
  readonly paths: readonly string[];
  readonly rebootPaths: readonly string[];
  readonly diff: string;
}

/**
 * Fields of v1alpha1 that Talos 1.12 to 1.14 apply to a running machine, read in its source (`ApplyConfiguration`
 * compares everything else and asks for a reboot). Answers of a dry run are not enough: 1.14 always says no reboot,
 * 1.13 looks at v1alpha1 only.
 */
const LIVE_V1ALPHA1 = [
  'cluster',
  'machine.network',
  'machine.kubelet',
  'machine.nodeLabels',
  'machine.nodeAnnotations',
  'machine.nodeTaints',
  'machine.certSANs',
  'machine.time',
  'machine.registries',
  'machine.sysctls',
  'machine.sysfs',
  'machine.logging',
  'machine.pods',
  'machine.controlPlane',
  'machine.features.kubernetesTalosAPIAccess',
  'machine.features.kubePrism',
  'machine.features.hostDNS',
  'machine.kernel',
  'machine.udev',
  'machine.seccompProfiles',
  // Only read by the next install or upgrade.
  'machine.install.image',
];

/** Documents whose controllers act at once. Volumes are looked for and made at boot. */
const LIVE_KINDS = [
  'HostnameConfig',
  'LinkConfig',
  'LinkAliasConfig',
  'ResolverConfig',
  'TimeSyncConfig',
  'StaticHostConfig',
  'Layer2VIPConfig',
  'VLANConfig',
  'BondConfig',
  'BridgeConfig',
  'DHCPv4Config',
  'DHCPv6Config',
  'RegistryMirrorConfig',
  'RegistryAuthConfig',
  'RegistryTLSConfig',
  'TrustedRootsConfig',
  'NetworkRuleConfig',
  'NetworkDefaultActionConfig',
  'KmsgLogConfig',
  'EventSinkConfig',
  'WatchdogTimerConfig',
  'ExtensionServiceConfig',
  'UserVolumeConfig',
];

type Documents = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Both as JSON lists of masked documents. */
export function configChange(from: string, to: string): ConfigChange {
  const before = documentsOf(from);
  const after = documentsOf(to);
  const paths = changedPaths(before, after).sort();
  const rebootPaths = paths.filter((path) => !isLive(path, before, after));
  const diff = createTwoFilesPatch('now', 'wanted', from, to, '', '', { context: 2 });
  return { mode: rebootPaths.length > 0 ? 'staged' : 'no-reboot', paths, rebootPaths, diff };
}

function documentsOf(json: string): Documents {
  const list: unknown = JSON.parse(json);
  const documents = Array.isArray(list) ? list : [];
  return new Map(
    documents.map((document: Record<string, unknown>) => {
      const kind = typeof document.kind === 'string' ? document.kind : '';
      return [document.name === undefined ? kind : `${kind}/${String(document.name)}`, document];
    }),
  );
}

function changedPaths(before: Documents, after: Documents): string[] {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return [...ids].flatMap((id) => {
    const a = before.get(id);
    const b = after.get(id);
    if (!a || !b) return [id];
    return differences(a, b, id);
  });
}

/** Down to the third level: deep enough to say what it is about. */
function differences(a: unknown, b: unknown, path: string, depth = 0): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return [];
  if (!isRecord(a) || !isRecord(b) || depth === 3) return [path];
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].flatMap((key) =>
    differences(a[key], b[key], path === '' ? key : `${path}.${key}`, depth + 1),
  );
}

function isLive(path: string, before: Documents, after: Documents): boolean {
  if (path.startsWith('machine') || path.startsWith('cluster')) {
    return LIVE_V1ALPHA1.some((live) => path === live || path.startsWith(`${live}.`));
  }
  const kind = path.split(/[/.]/)[0] ?? '';
  // A new or changed directory is just made; a volume that goes away is in use until the reboot.
  if (kind === 'UserVolumeConfig') return !before.has(path) && after.has(path);
  return LIVE_KINDS.includes(kind);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
