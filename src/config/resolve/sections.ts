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
import { clusterSchema } from '../schema/cluster.js';
import type { ConfigFile } from '../schema/file.js';
import { withDefaults } from '../schema/key.js';
import { networkSchema } from '../schema/network.js';
import { policySchema } from '../schema/policy.js';
import { proxmoxSchema } from '../schema/proxmox.js';
import { talosSchema } from '../schema/talos.js';
import type { Path } from '../yaml/position.js';
import type { ResolveContext } from './context.js';
import { resolveGates } from './gates.js';
import { pickDefined } from './levels.js';
import { profileOf } from './profiles.js';

/** Proxmox's guest agent is on by default, so the image has it by default. */
const DEFAULT_SCHEMATIC: Fragment = {
  customization: { systemExtensions: { officialExtensions: ['siderolabs/qemu-guest-agent'] } },
};

export function resolveCluster({ cluster }: ConfigFile, context: ResolveContext): ClusterConfig {
  const get = withDefaults(clusterSchema.shape, cluster);
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
    scheduleOnControlPlanes: get('scheduleOnControlPlanes'),
    onBoot: get('onBoot'),
    domain: get('domain'),
    podSubnets: get('podSubnets'),
    serviceSubnets: get('serviceSubnets'),
    certSANs: get('certSANs'),
    ...textOrFragment('apiServer'),
    ...textOrFragment('kubelet'),
    ...textOrFragment('machineFeatures'),
    extraManifests: get('extraManifests').map((each) => (typeof each === 'string' ? { url: each } : each)),
  };
}

export function resolveTalos({ talos }: ConfigFile, context: ResolveContext): TalosConfig {
  const get = withDefaults(talosSchema.shape, talos);
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
    factory: get('factory').replace(/\/+$/, ''),
    platform: get('platform'),
    arch: get('arch'),
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
    imageStorage: withDefaults(proxmoxSchema.shape, proxmox)('imageStorage'),
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
  const get = withDefaults(networkSchema.shape, network);
  return {
    subnet: network.subnet,
    gateway: network.gateway,
    dns: get('dns'),
    searchDomains: get('searchDomains'),
    ntp: get('ntp'),
    firstBoot: network.firstBoot ?? profileOf({ defaults }).firstBoot,
    ...pickDefined(network, ['dhcpRange']),
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
  const get = withDefaults(policySchema.shape, policy);
  const drain = withDefaults(policySchema.shape.drain.unwrap().shape, policy.drain);
  const keep = withDefaults(policySchema.shape.keep.unwrap().shape, policy.keep);
  const overcommit = withDefaults(policySchema.shape.overcommit.unwrap().shape, policy.overcommit);
  return {
    maxUnavailable: { workers: get('maxUnavailable') as number | `${number}%` },
    spreadHosts: get('spreadHosts'),
    outage: get('outage'),
    rehearse: get('rehearse'),
    drain: {
      timeoutSeconds: drain('timeout'),
      deleteLocalData: drain('deleteLocalData'),
      force: drain('force'),
    },
    etcdSnapshotMaxAgeSeconds: get('etcdSnapshotMaxAge'),
    keep: { snapshots: keep('snapshots'), runs: keep('runs') },
    gates: resolveGates(policy.gates),
    overcommit: { memory: overcommit('memory'), cpuRatio: overcommit('cpuRatio') },
    upgrade: get('upgrade'),
    host: policy.host ?? {},
  };
}

/** The last generation that every version takes: an upgrade of Talos alone changes no config. */
const USUAL_MINOR = 13;

function usualContract(version: Version): Version {
  const minor = version.major === 1 ? Math.min(version.minor, USUAL_MINOR) : version.minor;
  return { ...version, minor, patch: 0, pre: '' };
}
