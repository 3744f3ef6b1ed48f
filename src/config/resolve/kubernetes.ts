import type { KubernetesConfig } from '../kubernetes-config.js';
import type { ConfigFile } from '../schema/file.js';
import type { ResolveContext } from './context.js';
import { pickDefined } from './levels.js';

/** `true` and `{}` mean all defaults; `false` and nothing mean no. */
function entryOf<T extends object>(value: boolean | T | undefined): T | undefined {
  if (value === undefined || value === false) return undefined;
  return value === true ? ({} as T) : value;
}

export function resolveKubernetes(file: ConfigFile, context: ResolveContext): KubernetesConfig {
  const section = file.kubernetes ?? {};
  const gatewayApi = entryOf(section.gatewayApi);
  return {
    ...ciliumOf(section.cilium, context),
    ...(gatewayApi && {
      gatewayApi: { version: gatewayApi.version ?? 'v1.6.3', channel: gatewayApi.channel ?? 'standard' },
    }),
    ...sealedSecretsOf(section.sealedSecrets, context),
    ...csiOf(file, context),
    manifests: (section.manifests ?? []).flatMap(
      (path, i) => context.file(path, ['kubernetes', 'manifests', i]) ?? [],
    ),
  };
}

type Section = NonNullable<ConfigFile['kubernetes']>;

function ciliumOf(value: Section['cilium'], context: ResolveContext): Pick<KubernetesConfig, 'cilium'> {
  const cilium = entryOf(value);
  if (!cilium) return {};
  const path = ['kubernetes', 'cilium'];
  const values =
    cilium.values === undefined ? undefined : context.fragment(cilium.values, [...path, 'values']);
  const manifest =
    cilium.manifest === undefined ? undefined : context.file(cilium.manifest, [...path, 'manifest']);
  return {
    cilium: {
      version: cilium.version ?? 'v1.20.2',
      cliImage: cilium.cliImage ?? 'quay.io/cilium/cilium-cli:v0.18.9',
      ...(values && { values }),
      ...(manifest && { manifest }),
      hubble: cilium.hubble ?? true,
      gatewayApi: cilium.gatewayApi ?? true,
      l2Announcements: cilium.l2Announcements ?? true,
    },
  };
}

function sealedSecretsOf(
  value: Section['sealedSecrets'],
  context: ResolveContext,
): Pick<KubernetesConfig, 'sealedSecrets'> {
  const entry = entryOf(value);
  if (!entry) return {};
  const path = ['kubernetes', 'sealedSecrets'];
  const certificate =
    entry.certificate === undefined ? undefined : context.file(entry.certificate, [...path, 'certificate']);
  if ((entry.certificate === undefined) !== (entry.key === undefined)) {
    context.report.error({
      code: 'kubernetes.sealed-secrets',
      path,
      message: 'sealed-secrets needs `certificate` and `key` together, or neither',
      hint: 'without both a key pair is created',
    });
  }
  return {
    sealedSecrets: {
      ...(certificate && { certificate }),
      ...pickDefined(entry, ['key']),
      generate: entry.generate ?? entry.certificate === undefined,
    },
  };
}

function csiOf(file: ConfigFile, context: ResolveContext): Pick<KubernetesConfig, 'csi'> {
  const csiVolumes = Object.values(file.volumes ?? {}).filter((volume) => volume.type === 'proxmox-csi');
  const entry = entryOf(file.kubernetes?.csi ?? csiVolumes.length > 0);
  if (!entry) return {};
  const classes = Object.entries(entry.storageClasses ?? {}).map(([name, values]) => ({
    name,
    storage: values.storage,
    filesystem: values.filesystem ?? ('ext4' as const),
    ssd: values.ssd ?? true,
    ...pickDefined(values, ['cache']),
    reclaim: values.reclaim ?? ('Retain' as const),
    backup: values.backup ?? false,
  }));
  const { driver = 'built-in' } = entry;
  return {
    csi: {
      delete: entry.delete ?? false,
      acceptDeleteRisk: entry.acceptDeleteRisk ?? false,
      storageClasses: classes,
      ...pickDefined(entry, ['endpoint']),
      driver: typeof driver === 'string' ? driver : (driverOf(driver, context) ?? 'none'),
      images: entry.images ?? {},
    },
  };
}

function driverOf(
  { manifest, ...pinned }: { manifest: string; version: string; sha256?: string },
  context: ResolveContext,
) {
  if (/^https?:\/\//.test(manifest)) return { manifest: { url: manifest }, ...pinned };
  const file = context.file(manifest, ['kubernetes', 'csi', 'driver', 'manifest']);
  return file && { manifest: file, ...pinned };
}
