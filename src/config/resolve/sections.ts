/** The sections that stand for themselves. */

import type { Version } from '../../model/version.js';
import type {
  ClusterConfig,
  EncryptionKey,
  HostConfig,
  NetworkConfig,
  ProxmoxConfig,
  TalosConfig,
} from '../config.js';
import type { Fragment } from '../config-values.js';
import type { PolicyConfig } from '../policy-config.js';
import type { ConfigFile } from '../schema/file.js';
import type { Path } from '../yaml/position.js';
import type { ResolveContext } from './context.js';
import { resolveGates } from './gates.js';
import { pickDefined } from './levels.js';
import { PROFILES } from './profiles.js';

/** Proxmox's guest agent is on by default, so the image has it by default. */
const DEFAULT_SCHEMATIC: Fragment = {
  customization: { systemExtensions: { officialExtensions: ['siderolabs/qemu-guest-agent'] } },
};

export function resolveCluster({ cluster }: ConfigFile, context: ResolveContext): ClusterConfig {
  const textOrFragment = (key: 'apiServer' | 'kubelet' | 'machineFeatures') => {
    const value = cluster[key];
    if (value === undefined) return {};
    const path = ['cluster', key];
    const fragment =
      typeof value === 'string' ? context.fragmentText({ path: `cluster.${key}`, text: value }, path) : value;
    return fragment ? { [key]: fragment } : {};
  };
  return {
    name: cluster.name,
    env: cluster.env ?? '',
    ...pickDefined(cluster, ['vip', 'endpoint']),
    kubernetes: cluster.kubernetes,
    scheduleOnControlPlanes: cluster.scheduleOnControlPlanes ?? false,
    onBoot: cluster.onBoot ?? true,
    domain: cluster.domain ?? 'cluster.local',
    podSubnets: cluster.podSubnets ?? ['10.244.0.0/16'],
    serviceSubnets: cluster.serviceSubnets ?? ['10.96.0.0/12'],
    certSANs: cluster.certSANs ?? [],
    ...textOrFragment('apiServer'),
    ...textOrFragment('kubelet'),
    ...textOrFragment('machineFeatures'),
    extraManifests: (cluster.extraManifests ?? []).map((each) =>
      typeof each === 'string' ? { url: each } : each,
    ),
  };
}

export function resolveTalos({ talos }: ConfigFile, context: ResolveContext): TalosConfig {
  const schematic =
    talos.schematic === undefined
      ? DEFAULT_SCHEMATIC
      : context.fragment(talos.schematic, ['talos', 'schematic']);
  const patches = (role: 'all' | 'controlplane' | 'worker') =>
    (talos.patches?.[role] ?? []).flatMap(
      (patch, i) => context.patch(patch, ['talos', 'patches', role, i]) ?? [],
    );
  const encryption = {
    ...keyOf(talos.encryption?.state, 'state', context),
    ...keyOf(talos.encryption?.ephemeral, 'ephemeral', context),
  };
  return {
    version: talos.version,
    contract: talos.contract ?? usualContract(talos.version),
    schematic: schematic ?? DEFAULT_SCHEMATIC,
    factory: (talos.factory ?? 'https://factory.talos.dev').replace(/\/+$/, ''),
    platform: talos.platform ?? 'nocloud',
    arch: talos.arch ?? 'amd64',
    patches: { all: patches('all'), controlplane: patches('controlplane'), worker: patches('worker') },
    registryMirrors: Object.entries(talos.registryMirrors ?? {}).map(([registry, endpoints]) => ({
      registry,
      endpoints,
    })),
    ...(Object.keys(encryption).length > 0 && { encryption }),
  };
}

type KeyEntry = NonNullable<NonNullable<ConfigFile['talos']['encryption']>['state']>;

function keyOf(
  entry: KeyEntry | undefined,
  volume: 'state' | 'ephemeral',
  context: ResolveContext,
): { readonly [V in typeof volume]?: EncryptionKey } {
  if (entry === undefined) return {};
  const path: Path = ['talos', 'encryption', volume];
  const { key, passphrase, lockToState = false } = typeof entry === 'string' ? { key: entry } : entry;
  if (key !== 'static') {
    if (passphrase) {
      context.report.error({
        code: 'talos.encryption',
        path: [...path, 'passphrase'],
        message: `a \`${key}\` key has no passphrase`,
        hint: 'remove it, or write `key: static`',
      });
    }
    return { [volume]: { kind: key, lockToState } };
  }
  if (!passphrase) {
    context.report.error({
      code: 'talos.encryption',
      path,
      message: 'a `static` key needs a `passphrase`',
      hint: 'say where it is: `passphrase: env:NAME`',
    });
    return {};
  }
  return { [volume]: { kind: 'static', passphrase, lockToState } };
}

export function resolveProxmox({ proxmox }: ConfigFile, context: ResolveContext): ProxmoxConfig {
  const chosen = (['ca', 'fingerprint', 'insecure'] as const).filter((key) => proxmox[key]);
  if (chosen.length > 1) {
    context.report.error({
      code: 'proxmox.tls',
      path: ['proxmox', chosen[1] ?? 'ca'],
      message: `${chosen.map((key) => `\`${key}\``).join(' and ')} exclude each other`,
      hint: 'keep the strictest one',
      at: 'key',
    });
  }
  if (proxmox.ca !== undefined) context.file(proxmox.ca, ['proxmox', 'ca']);
  return {
    ...resolveEndpoints(proxmox.endpoint, context),
    cluster: proxmox.cluster,
    token: proxmox.token,
    tls:
      proxmox.ca !== undefined
        ? { kind: 'ca', path: proxmox.ca }
        : proxmox.fingerprint !== undefined
          ? { kind: 'fingerprint', sha256: proxmox.fingerprint }
          : proxmox.insecure
            ? { kind: 'insecure' }
            : { kind: 'system' },
    imageStorage: proxmox.imageStorage ?? 'local',
    ...pickDefined(proxmox, ['pool']),
  };
}

function resolveEndpoints(
  given: ConfigFile['proxmox']['endpoint'],
  { report }: ResolveContext,
): Pick<ProxmoxConfig, 'endpoints' | 'fingerprints'> {
  const endpoints: string[] = [];
  const fingerprints: Record<string, string> = {};
  for (const [index, one] of [given].flat().entries()) {
    const { url, fingerprint } = typeof one === 'string' ? { url: one, fingerprint: undefined } : one;
    if (endpoints.includes(url)) {
      report.error({
        code: 'proxmox.endpoint',
        path: ['proxmox', 'endpoint', index],
        message: `\`proxmox.endpoint\` has ${url} twice`,
        hint: 'keep one of them',
      });
      continue;
    }
    endpoints.push(url);
    if (fingerprint !== undefined) fingerprints[url] = fingerprint;
  }
  return { endpoints, ...(Object.keys(fingerprints).length > 0 && { fingerprints }) };
}

export function resolveNetwork({ network, defaults }: ConfigFile): NetworkConfig {
  return {
    subnet: network.subnet,
    gateway: network.gateway,
    dns: network.dns ?? [],
    searchDomains: network.searchDomains ?? [],
    ntp: network.ntp ?? [],
    firstBoot: network.firstBoot ?? PROFILES[defaults?.profile ?? 'standard'].firstBoot,
  };
}

export function resolveHosts({ hosts }: ConfigFile): HostConfig[] {
  return Object.entries(hosts ?? {}).map(([name, host]) => ({
    name,
    ...pickDefined(host, ['cpus', 'memory']),
    storages: host.storages ?? {},
    reservations: Object.entries(host.reservations ?? {}).map(([reserved, values]) => ({
      name: reserved,
      ...values,
    })),
  }));
}

export function resolvePolicy({ policy = {} }: ConfigFile): PolicyConfig {
  return {
    maxUnavailable: { workers: (policy.maxUnavailable ?? 1) as number | `${number}%` },
    spreadHosts: policy.spreadHosts ?? true,
    outage: policy.outage ?? 'ask',
    drain: {
      timeoutSeconds: policy.drain?.timeout ?? 300,
      deleteLocalData: policy.drain?.deleteLocalData ?? true,
      force: policy.drain?.force ?? false,
    },
    etcdSnapshotMaxAgeSeconds: policy.etcdSnapshotMaxAge ?? 3600,
    keep: { snapshots: policy.keep?.snapshots ?? 20, runs: policy.keep?.runs ?? 100 },
    gates: resolveGates(policy.gates),
    overcommit: { memory: policy.overcommit?.memory ?? false, cpuRatio: policy.overcommit?.cpuRatio ?? 4 },
    upgrade: policy.upgrade ?? 'in-place',
  };
}

/** The last generation that every version takes: an upgrade of Talos alone changes no config. */
const USUAL_MINOR = 13;

function usualContract(version: Version): Version {
  const minor = version.major === 1 ? Math.min(version.minor, USUAL_MINOR) : version.minor;
  return { ...version, minor, patch: 0, pre: '' };
}
