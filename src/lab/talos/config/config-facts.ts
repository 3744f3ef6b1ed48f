import { hashParts } from '../../../formats/text/hash.js';
import { memoize } from '../../../model/memoize.js';
import {
  apiServerPod,
  type Component,
  criSpec,
  failingComponents,
  kubeletSpec,
} from '../services/component-args.js';
import { readVolumeSpecs, type VolumeSpec } from '../volumes/volume-spec.js';
import {
  at,
  type ConfigDocument,
  list,
  readDocuments,
  record,
  string,
  stringMap,
  strings,
} from './config-document.js';

/** What a machine does with its config, read from the documents. */
export interface ConfigFacts {
  /** Has a v1alpha1 document: enough to leave maintenance mode. */
  readonly complete: boolean;
  readonly type: 'controlplane' | 'worker';
  /** `undefined`: made from the machine's identity. */
  readonly hostname?: string;
  /** Kubernetes knows the node by its whole name, not by the first label. */
  readonly registerWithFqdn: boolean;
  readonly links: readonly LinkFacts[];
  readonly vips: readonly string[];
  readonly certSans: readonly string[];
  readonly talosCa: { readonly crt: string; readonly key: string };
  readonly cluster: {
    readonly id: string;
    readonly name: string;
    readonly endpoint: string;
    readonly discovery: boolean;
    readonly ca: { readonly crt: string; readonly key: string };
  };
  /** `undefined`: no etcd CA, so no etcd. */
  readonly etcdOwner?: string;
  readonly kubelet: {
    readonly image: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  readonly taints: Readonly<Record<string, string>>;
  readonly scheduleOnControlPlanes: boolean;
  readonly images: {
    readonly apiServer: string;
    readonly controllerManager: string;
    readonly scheduler: string;
  };
  /** Programs of Kubernetes that do not start with their arguments, and what they print. */
  readonly failing: Readonly<Partial<Record<Component, string>>>;
  /** Changes when the API server has to be started again. */
  readonly apiServerPod: string;
  /** Changes when the kubelet has to be started again. */
  readonly kubeletSpec: string;
  /** Changes when containerd has to be started again. */
  readonly criSpec: string;
  readonly volumes: readonly VolumeSpec[];
  readonly install: InstallFacts;
}

export interface LinkFacts {
  readonly name: string;
  /** A selector of a LinkAliasConfig that gives the link its name. */
  readonly selector?: string;
  readonly addresses: readonly string[];
  readonly gateway?: string;
  readonly mtu?: number;
  readonly dhcp: boolean;
}

export interface InstallFacts {
  readonly image?: string;
  /** `/dev/sda` */
  readonly disk?: string;
  /** CEL of UnattendedInstallConfig. */
  readonly match?: string;
  /** Old-style selector of `machine.install`. */
  readonly selector?: Readonly<Record<string, unknown>>;
}

export const readConfigFacts = memoize(readFacts);

function readFacts(text: string): ConfigFacts {
  const documents = readDocuments(text);
  const main = documents.find((document) => document.kind === 'v1alpha1')?.body;
  const of = (kind: string) => documents.find((document) => document.kind === kind)?.body;
  const machine = record(main?.machine);
  const cluster = record(main?.cluster);
  const etcdCa = string(at(cluster, 'etcd', 'ca', 'crt'));
  const hostname = string(of('HostnameConfig')?.hostname) ?? string(at(machine, 'network', 'hostname'));
  const name = string(cluster.clusterName) ?? string(of('KubeClusterConfig')?.clusterName) ?? '';
  return {
    complete: main !== undefined,
    type: machine.type === 'controlplane' ? 'controlplane' : 'worker',
    ...(hostname ? { hostname } : {}),
    registerWithFqdn:
      at(machine, 'kubelet', 'registerWithFQDN') === true || of('KubeNodeConfig')?.registerWithFQDN === true,
    links: readLinks(documents, machine),
    vips: [
      ...documents.filter((document) => document.kind === 'Layer2VIPConfig').map((document) => document.name),
      ...list(at(machine, 'network', 'interfaces')).flatMap((item) => string(at(item, 'vip', 'ip')) ?? []),
    ],
    certSans: strings(machine.certSANs),
    talosCa: keyPair(machine.ca),
    cluster: {
      id: string(cluster.id) ?? string(of('DiscoveryIdentityConfig')?.clusterID) ?? '',
      name,
      endpoint:
        string(at(cluster, 'controlPlane', 'endpoint')) ?? string(of('KubeClusterConfig')?.endpoint) ?? '',
      discovery: at(cluster, 'discovery', 'enabled') !== false,
      ca: kubernetesCa(cluster.ca, of('KubeAPIServerCAConfig')),
    },
    ...(etcdCa ? { etcdOwner: hashParts(['etcd', etcdCa]).slice(0, 16) } : {}),
    kubelet: {
      image: string(at(machine, 'kubelet', 'image')) ?? string(of('KubeletConfig')?.image) ?? '',
      labels: { ...stringMap(of('KubeNodeConfig')?.labels), ...stringMap(machine.nodeLabels) },
      annotations: {
        ...stringMap(of('KubeNodeConfig')?.annotations),
        ...stringMap(machine.nodeAnnotations),
      },
    },
    taints: { ...stringMap(of('KubeNodeConfig')?.taints), ...stringMap(machine.nodeTaints) },
    scheduleOnControlPlanes: cluster.allowSchedulingOnControlPlanes === true,
    images: {
      apiServer: string(at(cluster, 'apiServer', 'image')) ?? string(of('KubeAPIServerConfig')?.image) ?? '',
      controllerManager:
        string(at(cluster, 'controllerManager', 'image')) ??
        string(of('KubeControllerManagerConfig')?.image) ??
        '',
      scheduler: string(at(cluster, 'scheduler', 'image')) ?? string(of('KubeSchedulerConfig')?.image) ?? '',
    },
    failing: failingComponents(machine, cluster, of),
    apiServerPod: hashParts(['pod', apiServerPod(cluster, documents)]).slice(0, 16),
    kubeletSpec: hashParts(['kubelet', kubeletSpec(machine, cluster, documents)]).slice(0, 16),
    criSpec: hashParts(['cri', criSpec(machine, documents)]).slice(0, 16),
    volumes: readVolumeSpecs(documents),
    install: readInstall(machine, of('UnattendedInstallConfig')),
  };
}

function readLinks(
  documents: readonly ConfigDocument[],
  machine: Readonly<Record<string, unknown>>,
): LinkFacts[] {
  const aliases = new Map(
    documents
      .filter((document) => document.kind === 'LinkAliasConfig')
      .map((document) => [document.name, string(at(document.body, 'selector', 'match')) ?? '']),
  );
  const links = new Map<string, { addresses: string[]; gateway?: string; mtu?: number; dhcp: boolean }>();
  const link = (name: string) => {
    const found = links.get(name) ?? { addresses: [], dhcp: false };
    links.set(name, found);
    return found;
  };
  for (const { kind, name, body } of documents) {
    if (kind === 'LinkConfig' || kind === 'VLANConfig' || kind === 'BondConfig' || kind === 'BridgeConfig') {
      if (typeof body.mtu === 'number' && body.mtu > 0) link(name).mtu = body.mtu;
      addStatic(
        link(name),
        list(body.addresses).map((item) => string(at(item, 'address'))),
        body.routes,
      );
    } else if (kind === 'DHCPv4Config') {
      link(name).dhcp = true;
    }
  }
  for (const item of list(at(machine, 'network', 'interfaces'))) {
    const found = link(string(at(item, 'interface')) ?? 'eth0');
    found.dhcp ||= at(item, 'dhcp') === true;
    const mtu = at(item, 'mtu');
    if (typeof mtu === 'number' && mtu > 0) found.mtu = mtu;
    addStatic(found, strings(at(item, 'addresses')), at(item, 'routes'));
  }
  return [...links].map(([name, found]) => {
    // A VLAN sits on its parent: `net0.20` is found where `net0` is.
    const selector = aliases.get(name) ?? aliases.get(name.replace(/\.\d+$/, ''));
    return { name, ...(selector ? { selector } : {}), ...found };
  });
}

function addStatic(
  link: { addresses: string[]; gateway?: string },
  addresses: readonly (string | undefined)[],
  routes: unknown,
): void {
  link.addresses.push(...addresses.filter((address): address is string => address !== undefined));
  for (const route of list(routes)) {
    const destination = string(at(route, 'destination')) ?? string(at(route, 'network')) ?? '0.0.0.0/0';
    const gateway = string(at(route, 'gateway'));
    if (gateway && destination === '0.0.0.0/0') link.gateway = gateway;
  }
}

function readInstall(
  machine: Readonly<Record<string, unknown>>,
  unattended: Readonly<Record<string, unknown>> | undefined,
): InstallFacts {
  const install = record(machine.install);
  const image = string(install.image) ?? string(at(unattended, 'installer', 'image'));
  const disk = string(install.disk);
  const match = string(at(unattended, 'provisioning', 'diskSelector', 'match'));
  const selector = install.diskSelector === undefined ? undefined : record(install.diskSelector);
  return {
    ...(image ? { image } : {}),
    ...(disk ? { disk } : {}),
    ...(match ? { match } : {}),
    ...(selector ? { selector } : {}),
  };
}

function keyPair(value: unknown): { crt: string; key: string } {
  return { crt: string(at(value, 'crt')) ?? '', key: string(at(value, 'key')) ?? '' };
}

/** In the documents of 1.14 the authority is plain PEM; the old field has base64 of it. */
function kubernetesCa(old: unknown, document: unknown): { crt: string; key: string } {
  const encode = (pem: unknown) => Buffer.from(string(pem) ?? '', 'utf8').toString('base64');
  const issuing = at(document, 'issuingCA');
  if (old != null || issuing === undefined) return keyPair(old);
  return { crt: encode(at(issuing, 'cert')), key: encode(at(issuing, 'key')) };
}
