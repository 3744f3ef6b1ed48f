/**
 * Patches that bring what oxherd writes in documents of its own: Talos refuses a config that says it twice. Found with
 * Talos's own validators 1.12.0, 1.13.9 and 1.14.1.
 */
import { isMapping, type Mapping } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';

/** Field of v1alpha1 → the documents of ours that say the same, and the key of oxherd.yaml to use. */
const FIELDS: readonly { readonly path: string; readonly kinds: readonly string[]; readonly key: string }[] =
  [
    { path: 'machine.network.hostname', kinds: ['HostnameConfig'], key: 'the name of the node' },
    { path: 'machine.network.nameservers', kinds: ['ResolverConfig'], key: 'network.dns' },
    { path: 'machine.network.searchDomains', kinds: ['ResolverConfig'], key: 'network.searchDomains' },
    { path: 'machine.network.interfaces', kinds: ['LinkConfig'], key: 'network and nodes.<name>.nics' },
    { path: 'machine.time', kinds: ['TimeSyncConfig'], key: 'network.ntp' },
    { path: 'machine.systemDiskEncryption', kinds: ['VolumeConfig'], key: 'talos.encryption' },
  ];

/** Document → the field of v1alpha1 that oxherd writes. */
const KINDS: Readonly<Record<string, { readonly path: string; readonly key: string }>> = {
  KubeletConfig: { path: 'machine.kubelet', key: 'cluster.kubelet' },
  KubeAPIServerConfig: { path: 'cluster.apiServer', key: 'cluster.apiServer' },
  KubeControllerManagerConfig: {
    path: 'cluster.controllerManager',
    key: 'a patch of cluster.controllerManager',
  },
  KubeSchedulerConfig: { path: 'cluster.scheduler', key: 'a patch of cluster.scheduler' },
  KubeProxyConfig: { path: 'cluster.proxy', key: 'a patch of cluster.proxy' },
  KubeNetworkConfig: { path: 'cluster.network', key: 'cluster.podSubnets, serviceSubnets and domain' },
  KubeClusterConfig: { path: 'cluster.clusterName', key: 'cluster.name and cluster.endpoint' },
  KubePrismConfig: { path: 'machine.features.kubePrism', key: 'cluster.machineFeatures' },
  DiscoveryServiceConfig: { path: 'cluster.discovery', key: 'a patch of cluster.discovery' },
  DiscoveryIdentityConfig: { path: 'cluster.id', key: 'the secrets of the cluster' },
  UnattendedInstallConfig: { path: 'machine.install', key: 'a patch of machine.install' },
};

/** After each patch: what it brought that our own documents say already. */
export function refuseCollisions(documents: readonly Mapping[], origin: string, node: string): void {
  const main = documents.find((document) => document.kind === undefined) ?? {};
  const kinds = new Set(documents.map((document) => document.kind));
  const refuse = (twice: string, key: string): never => {
    throw new OxherdError(
      'design.patch-collides',
      `${node}: the patch ${origin} sets ${twice}; Talos takes it once`,
      {
        where: origin,
        advice: `Take it out of the patch and use ${key}.`,
      },
    );
  };
  for (const { path, kinds: ours, key } of FIELDS) {
    if (!isSet(at(main, path)) || !ours.some((kind) => kinds.has(kind))) continue;
    refuse(`${path}, which oxherd sets to ${ours.join(', ')}`, key);
  }
  for (const [kind, { path, key }] of Object.entries(KINDS)) {
    if (kinds.has(kind) && isSet(at(main, path))) refuse(`${kind}, which oxherd writes as ${path}`, key);
  }
  const resolver = documents.find((document) => document.kind === 'ResolverConfig');
  if (isSet(resolver?.hostDNS) && isSet(at(main, 'machine.features.hostDNS')))
    refuse(
      'ResolverConfig.hostDNS, which oxherd writes as machine.features.hostDNS',
      'cluster.machineFeatures',
    );
}

function at(document: Mapping, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((value, key) => (isMapping(value) ? value[key] : undefined), document);
}

/** Empty lists and mappings say nothing. */
function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  if (Array.isArray(value)) return value.length > 0;
  return !isMapping(value) || Object.keys(value).length > 0;
}
