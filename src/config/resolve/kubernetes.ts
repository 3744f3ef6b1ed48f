import type { KubernetesConfig } from '../kubernetes-config.js';
import type { ConfigFile } from '../schema/file.js';
import { withDefaults } from '../schema/key.js';
import {
  ciliumSchema,
  csiSchema,
  gatewayApiSchema,
  kubernetesSchema,
  storageClassSchema,
} from '../schema/kubernetes.js';
import { bgpPeerSchema, loadBalancerSchema } from '../schema/load-balancer.js';
import type { ResolveContext } from './context.js';
import { resolveGitops } from './gitops.js';
import { pickDefined } from './levels.js';

/** `true` and `{}` mean all defaults; `false` and nothing mean no. */
function entryOf<T extends object>(value: boolean | T | undefined): T | undefined {
  if (value === undefined || value === false) return undefined;
  return value === true ? ({} as T) : value;
}

export function resolveKubernetes(file: ConfigFile, context: ResolveContext): KubernetesConfig {
  const section = file.kubernetes ?? {};
  const gatewayApi = entryOf(section.gatewayApi);
  const gateway = withDefaults(gatewayApiSchema.shape, gatewayApi);
  return {
    ...ciliumOf(section.cilium, context),
    ...loadBalancerOf(section.loadBalancer),
    ...(gatewayApi && {
      gatewayApi: { version: gateway('version'), channel: gateway('channel') },
    }),
    ...sealedSecretsOf(section.sealedSecrets, context),
    ...csiOf(file, context),
    ...resolveGitops(section.gitops, context),
    manifests: withDefaults(
      kubernetesSchema.shape,
      section,
    )('manifests').flatMap((path, i) => context.file(path, ['kubernetes', 'manifests', i]) ?? []),
  };
}

type Section = NonNullable<ConfigFile['kubernetes']>;

function ciliumOf(value: Section['cilium'], context: ResolveContext): Pick<KubernetesConfig, 'cilium'> {
  const cilium = entryOf(value);
  if (!cilium) return {};
  const get = withDefaults(ciliumSchema.shape, cilium);
  const path = ['kubernetes', 'cilium'];
  const values =
    cilium.values === undefined ? undefined : context.fragment(cilium.values, [...path, 'values']);
  const manifest =
    cilium.manifest === undefined ? undefined : context.file(cilium.manifest, [...path, 'manifest']);
  return {
    cilium: {
      version: get('version'),
      cliImage: get('cliImage'),
      ...(values && { values }),
      ...(manifest && { manifest }),
      hubble: get('hubble'),
      gatewayApi: get('gatewayApi'),
      l2Announcements: get('l2Announcements'),
    },
  };
}

function loadBalancerOf(entry: Section['loadBalancer']): Pick<KubernetesConfig, 'loadBalancer'> {
  if (!entry) return {};
  const get = withDefaults(loadBalancerSchema.shape, entry);
  return {
    loadBalancer: {
      pool: 'first' in entry.pool ? [entry.pool] : entry.pool,
      mode: get('mode'),
      asn: get('asn'),
      peers: get('peers').map((peer) => {
        const of = withDefaults(bgpPeerSchema.shape, peer);
        return {
          address: peer.address,
          asn: peer.asn,
          port: of('port'),
          multihop: of('multihop'),
          ...pickDefined(peer, ['passwordSecret']),
        };
      }),
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
  const get = withDefaults(csiSchema.shape, entry);
  const classes = Object.entries(entry.storageClasses ?? {}).map(([name, values]) => {
    const of = withDefaults(storageClassSchema.shape, values);
    return {
      name,
      storage: values.storage,
      filesystem: of('filesystem'),
      ssd: of('ssd'),
      ...pickDefined(values, ['cache']),
      reclaim: of('reclaim'),
      backup: of('backup'),
    };
  });
  const driver = get('driver');
  return {
    csi: {
      delete: get('delete'),
      acceptDeleteRisk: get('acceptDeleteRisk'),
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
