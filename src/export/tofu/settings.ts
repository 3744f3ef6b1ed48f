/**
 * What no resource of the exported module uses and oxherd needs to be the same cluster: machine configs and what runs in
 * Kubernetes, in the shape of oxherd.yaml. Files that it names lie beside it.
 */
import { stringify } from 'yaml';
import type { Config, EncryptionKey, PatchSource } from '../../config/config.js';
import type { FileText } from '../../config/config-values.js';
import type { GitopsConfig } from '../../config/kubernetes-config.js';
import { formatSecretRef } from '../../config/secret-ref.js';
import { formatRange } from '../../model/address.js';
import { formatMinor } from '../../model/version.js';

interface Settings {
  /** YAML. */
  readonly text: string;
  /** By path relative to the export. */
  readonly files: readonly { readonly path: string; readonly text: string }[];
}

type Tree = Readonly<Record<string, unknown>>;

export function settingsOf(config: Config): Settings {
  const files = new Map<string, string>();
  const keep = (file: FileText | undefined): string | undefined => {
    if (!file) return undefined;
    const name = file.path.slice(file.path.lastIndexOf('/') + 1);
    let path = `files/${name}`;
    for (let i = 2; files.has(path) && files.get(path) !== file.text; i++) path = `files/${i}-${name}`;
    files.set(path, file.text);
    return path;
  };
  const tree = {
    cluster: clusterOf(config),
    talos: talosOf(config),
    network: { dhcpRange: config.network.dhcpRange && formatRange(config.network.dhcpRange) },
    kubernetes: kubernetesOf(config, keep),
    nodes: nodesOf(config),
  };
  return {
    text: stringify(said(tree), { compat: 'yaml-1.1', lineWidth: 0 }),
    files: [...files].map(([path, text]) => ({ path, text })),
  };
}

function clusterOf({ cluster }: Config): Tree {
  const { domain, podSubnets, serviceSubnets, certSANs, apiServer, kubelet, machineFeatures } = cluster;
  return {
    domain,
    podSubnets,
    serviceSubnets,
    certSANs,
    apiServer,
    kubelet,
    machineFeatures,
    extraManifests: cluster.extraManifests.map(({ url, sha256 }) =>
      sha256 === undefined ? url : { url, sha256 },
    ),
  };
}

function talosOf({ talos }: Config): Tree {
  const { all, controlplane, worker } = talos.patches;
  return {
    contract: formatMinor(talos.contract),
    patches: { all: texts(all), controlplane: texts(controlplane), worker: texts(worker) },
    registryMirrors: Object.fromEntries(
      talos.registryMirrors.map(({ registry, endpoints }) => [registry, endpoints]),
    ),
    encryption: {
      state: encryptionOf(talos.encryption?.state),
      ephemeral: encryptionOf(talos.encryption?.ephemeral),
    },
  };
}

/** Text of one line would be read as the path of a file. */
function texts(patches: readonly PatchSource[]): readonly string[] {
  return patches.map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`));
}

function encryptionOf(key: EncryptionKey | undefined): Tree | undefined {
  if (!key) return undefined;
  const passphrase = key.kind === 'static' ? formatSecretRef(key.passphrase) : undefined;
  return { key: key.kind, passphrase, lockToState: key.lockToState ? true : undefined };
}

function kubernetesOf(
  { kubernetes }: Config,
  keep: (file: FileText | undefined) => string | undefined,
): Tree {
  const { cilium, loadBalancer, gatewayApi, sealedSecrets, csi, gitops, manifests } = kubernetes;
  const driver = csi?.driver;
  return {
    cilium: cilium && { ...cilium, manifest: keep(cilium.manifest) },
    loadBalancer: loadBalancer && { ...loadBalancer, pool: loadBalancer.pool.map(formatRange) },
    gatewayApi,
    sealedSecrets: sealedSecrets && {
      certificate: keep(sealedSecrets.certificate),
      key: sealedSecrets.key && formatSecretRef(sealedSecrets.key),
      generate: sealedSecrets.generate,
    },
    csi: csi && {
      endpoint: csi.endpoint,
      images: csi.images,
      driver:
        typeof driver === 'object'
          ? { ...driver, manifest: 'url' in driver.manifest ? driver.manifest.url : keep(driver.manifest) }
          : driver,
    },
    gitops: gitops && { [gitops.engine]: gitopsOf(gitops, keep) },
    manifests: manifests.map(keep),
  };
}

function gitopsOf(
  { version, sha256, manifest, source }: GitopsConfig,
  keep: (file: FileText | undefined) => string | undefined,
): Tree {
  const { key, password, knownHosts, username, intervalMs, ...rest } = source;
  return {
    version,
    sha256,
    manifest: 'url' in manifest ? manifest.url : keep(manifest),
    source: {
      ...rest,
      key: key && formatSecretRef(key),
      knownHosts: keep(knownHosts),
      username: password && username,
      password: password && formatSecretRef(password),
      interval: `${Math.round(intervalMs / 1000)}s`,
    },
  };
}

function nodesOf({ nodes }: Config): Tree {
  return Object.fromEntries(
    nodes.map(({ name, labels, taints, patches }) => [name, { labels, taints, patches: texts(patches) }]),
  );
}

/** Without what is empty: its absence means the same. */
function said(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? undefined : value;
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .map(([key, inner]) => [key, said(inner)] as const)
    .filter(([, inner]) => inner !== undefined);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
