/** Edits that people make to the file of a running cluster of three control planes and two workers. */
import { stringify } from 'yaml';
import type { LabWorld } from '../../src/lab/world.js';

type Values = Record<string, unknown>;

/** The part of the file that the edits are about; the rest is as it stands. */
export interface EditedFile {
  cluster: Values;
  talos: Values & { patches: Record<'all' | 'controlplane' | 'worker', Values[]> };
  proxmox: Values;
  network: Values;
  hosts: Record<string, Values>;
  defaults: Record<'all' | 'controlplane' | 'worker', Values>;
  nodes: Record<string, Values>;
  volumes: Record<string, Values>;
  kubernetes: Values;
  policy: Values;
}

export interface CatalogueEdit {
  readonly name: string;
  readonly change: (file: EditedFile) => void;
}

export function baseFile(): EditedFile {
  const node = (role: string, host: string, address: number) => ({
    role,
    host,
    ip: `10.20.30.${address}`,
    vmid: 100 + address,
  });
  return {
    cluster: { name: 'herd', vip: '10.20.30.40', kubernetes: 'v1.34.0' },
    talos: { version: 'v1.13.9', patches: { all: [], controlplane: [], worker: [] } },
    proxmox: {
      endpoint: 'https://pve1.lan:8006',
      cluster: 'rack',
      token: 'env:OXHERD_PROXMOX_TOKEN',
    },
    network: { subnet: '10.20.30.0/24', gateway: '10.20.30.254', dns: ['10.20.30.254'] },
    hosts: { pve1: {}, pve2: {}, pve3: {} },
    defaults: { all: { cores: 2, memory: '4GiB', disk: '6GiB' }, controlplane: {}, worker: {} },
    nodes: {
      'cp-1': node('controlplane', 'pve1', 41),
      'cp-2': node('controlplane', 'pve2', 42),
      'cp-3': node('controlplane', 'pve3', 43),
      'work-1': node('worker', 'pve1', 51),
      'work-2': node('worker', 'pve2', 52),
    },
    volumes: {
      scratch: { type: 'disk', size: '1GiB' },
      media: { type: 'disk', size: '1GiB', on: 'worker' },
    },
    kubernetes: {},
    // Two control planes are what one edit leaves: what follows is an outage that was asked for.
    policy: { outage: 'allow' },
  };
}

export function textOf(file: EditedFile): string {
  return stringify(file, { aliasDuplicateObjects: false });
}

/** A second storage on every host, and a second bridge: there before any edit names them. */
export function catalogueWorld(world: LabWorld): LabWorld {
  const first = world.storages.find((storage) => storage.id === 'local-zfs');
  return {
    ...world,
    hosts: world.hosts.map((host) => ({
      ...host,
      bridges: [
        ...(host.bridges ?? []),
        ...(host.bridges?.slice(0, 1) ?? []).map((bridge) => ({ ...bridge, iface: 'vmbr1' })),
      ],
    })),
    storages: [...world.storages, ...(first ? [{ ...first, id: 'tank', pool: 'tank' }] : [])],
  };
}

const edit = (name: string, change: CatalogueEdit['change']): CatalogueEdit => ({ name, change });

const onNode = (node: string, name: string, values: Values): CatalogueEdit =>
  edit(`${node}: ${name}`, ({ nodes }) => {
    if (nodes[node]) nodes[node] = { ...nodes[node], ...values };
  });

const forAll = (role: 'all' | 'controlplane' | 'worker', name: string, values: Values): CatalogueEdit =>
  edit(`${role}: ${name}`, ({ defaults }) => {
    defaults[role] = { ...defaults[role], ...values };
  });

const patch = (role: 'all' | 'controlplane' | 'worker', name: string, value: Values): CatalogueEdit =>
  edit(`patch ${role}: ${name}`, ({ talos }) => {
    talos.patches[role].push(value);
  });

const section = (
  key: 'cluster' | 'talos' | 'network' | 'kubernetes' | 'policy',
  name: string,
  values: Values,
) =>
  edit(`${key}: ${name}`, (file) => {
    Object.assign(file[key], values);
  });

const volume = (name: string, words: string, values: Values | undefined): CatalogueEdit =>
  edit(`volume ${name}: ${words}`, ({ volumes }) => {
    if (values) volumes[name] = { ...volumes[name], ...values };
    else delete volumes[name];
  });

function renamed(from: string, to: string): CatalogueEdit {
  return edit(`rename ${from} to ${to}`, (file) => {
    file.nodes = Object.fromEntries(
      Object.entries(file.nodes).map(([name, values]) => [name === from ? to : name, values]),
    );
  });
}

function without(name: string): CatalogueEdit {
  return edit(`remove ${name}`, ({ nodes }) => {
    delete nodes[name];
  });
}

const NODES: readonly CatalogueEdit[] = [
  edit('add work-3', ({ nodes }) => {
    nodes['work-3'] = { role: 'worker', host: 'pve3', ip: '10.20.30.53', vmid: 153 };
  }),
  edit('add cp-4 and cp-5', ({ nodes }) => {
    nodes['cp-4'] = { role: 'controlplane', host: 'pve1', ip: '10.20.30.44', vmid: 144 };
    nodes['cp-5'] = { role: 'controlplane', host: 'pve2', ip: '10.20.30.45', vmid: 145 };
  }),
  without('work-2'),
  without('cp-3'),
  renamed('work-2', 'anvil'),
  renamed('cp-1', 'first'),
  edit('swap the names of the workers', (file) => {
    const { 'work-1': one, 'work-2': two, ...others } = file.nodes;
    file.nodes = { ...others, ...(two && { 'work-1': two }), ...(one && { 'work-2': one }) };
  }),
  onNode('work-2', 'another vmid', { vmid: 162 }),
  onNode('cp-1', 'another vmid', { vmid: 161 }),
  onNode('work-2', 'role controlplane', { role: 'controlplane' }),
  onNode('cp-3', 'role worker', { role: 'worker' }),
];

const PLACES: readonly CatalogueEdit[] = [
  onNode('work-1', 'host pve3', { host: 'pve3' }),
  onNode('cp-2', 'host pve3', { host: 'pve3' }),
  onNode('work-2', 'host that is not there', { host: 'pve9' }),
  edit('host pve1: little memory', ({ hosts }) => {
    hosts.pve1 = { memory: '5GiB' };
  }),
  onNode('work-1', 'another ip', { ip: '10.20.30.61' }),
  onNode('cp-2', 'another ip', { ip: '10.20.30.62' }),
  edit('swap the addresses of the workers', ({ nodes }) => {
    const [one, two] = [nodes['work-1'], nodes['work-2']];
    if (one && two) [one.ip, two.ip] = [two.ip, one.ip];
  }),
  section('network', 'resolvers', { dns: ['10.20.30.254', '10.20.30.253'] }),
  section('network', 'time servers', { ntp: ['10.20.30.254'] }),
  section('network', 'search domains', { searchDomains: ['lan'] }),
  section('cluster', 'names in certificates', { certSANs: ['api.example.org'] }),
  onNode('work-1', 'vlan', { vlan: 30 }),
  onNode('work-2', 'mtu', { mtu: 1400 }),
  onNode('work-1', 'firewall', { firewall: true }),
  onNode('work-2', 'second NIC', { nics: [{ bridge: 'vmbr0', vlan: 40, dhcp: true }] }),
  onNode('work-1', 'mac', { mac: 'BC:24:11:00:00:51' }),
  onNode('work-2', 'bridge', { bridge: 'vmbr1' }),
];

const HARDWARE: readonly CatalogueEdit[] = [
  forAll('all', 'cores', { cores: 3 }),
  forAll('all', 'memory', { memory: '5GiB' }),
  forAll('worker', 'cores', { cores: 4 }),
  forAll('controlplane', 'memory', { memory: '6GiB' }),
  onNode('work-1', 'sockets', { sockets: 2 }),
  onNode('work-2', 'CPU type', { cpuType: 'x86-64-v3' }),
  onNode('work-1', 'machine type', { machine: 'pc' }),
  onNode('work-2', 'ballooning', { balloon: '2GiB' }),
  onNode('cp-3', 'start order', { startup: { order: 3, up: 10 } }),
  forAll('worker', 'description', { description: 'a worker' }),
  forAll('all', 'tags', { tags: ['rack-7'] }),
  section('cluster', 'no start at boot', { onBoot: false }),
];

const DISKS: readonly CatalogueEdit[] = [
  forAll('all', 'larger EPHEMERAL', { disk: '8GiB' }),
  forAll('worker', 'larger EPHEMERAL', { disk: '7GiB' }),
  forAll('all', 'larger system disk', { osDisk: '6GiB' }),
  forAll('worker', 'disk options', { diskOptions: { cache: 'none', ssd: false } }),
  onNode('cp-1', 'disk options', { diskOptions: { discard: false } }),
  forAll('worker', 'storage', { storage: 'tank' }),
  onNode('cp-1', 'storage', { storage: 'tank' }),
  volume('scratch', 'removed', undefined),
  volume('media', 'removed', undefined),
  volume('scratch', 'grown', { size: '2GiB' }),
  volume('scratch', 'shrunk', { size: '512MiB' }),
  volume('scratch', 'another storage', { storage: 'tank' }),
  volume('media', 'on all nodes', { on: 'all' }),
  volume('media', 'another file system', { filesystem: 'ext4' }),
  volume('cache', 'added', { type: 'disk', size: '1GiB' }),
  volume('logs', 'a directory added', { type: 'directory' }),
  edit('volume scratch: renamed', ({ volumes }) => {
    const { scratch, ...others } = volumes;
    for (const name of Object.keys(volumes)) delete volumes[name];
    Object.assign(volumes, others, { bench: { type: 'disk', size: '1GiB', ...scratch, was: 'scratch' } });
  }),
];

const VERSIONS: readonly CatalogueEdit[] = [
  section('talos', 'v1.14.1', { version: 'v1.14.1' }),
  section('talos', 'v1.14.1 with configs of its contract', { version: 'v1.14.1', contract: 'v1.14' }),
  section('talos', 'two minors further', { version: 'v1.15.0' }),
  section('cluster', 'Kubernetes v1.35.0', { kubernetes: 'v1.35.0' }),
  section('cluster', 'Kubernetes v1.36.0', { kubernetes: 'v1.36.0' }),
  onNode('work-1', 'Talos v1.14.1', { talosVersion: 'v1.14.1' }),
  section('talos', 'another extension', {
    schematic: {
      customization: {
        systemExtensions: { officialExtensions: ['siderolabs/qemu-guest-agent', 'siderolabs/iscsi-tools'] },
      },
    },
  }),
];

const CONFIGS: readonly CatalogueEdit[] = [
  patch('all', 'sysctl', { machine: { sysctls: { 'vm.max_map_count': '262144' } } }),
  patch('all', 'environment', { machine: { env: { LANG: 'C' } } }),
  patch('worker', 'kubelet flags', { machine: { kubelet: { extraArgs: { 'max-pods': '150' } } } }),
  patch('worker', 'kernel module', { machine: { kernel: { modules: [{ name: 'nbd' }] } } }),
  patch('controlplane', 'scheduler flags', { cluster: { scheduler: { extraArgs: { v: '2' } } } }),
  onNode('cp-2', 'a patch of its own', { patches: [{ machine: { sysctls: { 'vm.swappiness': '10' } } }] }),
  section('cluster', 'API server flags', { apiServer: { extraArgs: { 'oidc-client-id': 'kubectl' } } }),
  section('talos', 'registry mirrors', { registryMirrors: { 'docker.io': ['https://mirror.example.com'] } }),
  section('cluster', 'workloads on control planes', { scheduleOnControlPlanes: true }),
  section('cluster', 'kubelet flags', { kubelet: { extraArgs: { 'image-gc-high-threshold': '80' } } }),
  section('cluster', 'another VIP', { vip: '10.20.30.39' }),
  section('cluster', 'machine features', {
    machineFeatures: {
      kubernetesTalosAPIAccess: {
        enabled: true,
        allowedRoles: ['os:reader'],
        allowedKubernetesNamespaces: ['kube-system'],
      },
    },
  }),
  section('cluster', 'another DNS domain', { domain: 'herd.local' }),
  section('cluster', 'other pod subnets', { podSubnets: ['10.245.0.0/16'] }),
  forAll('worker', 'labels', { labels: { 'example.org/shelf': 'top' } }),
  onNode('work-1', 'taint', { taints: [{ key: 'gpu', value: '1', effect: 'NoSchedule' }] }),
];

const POLICIES: readonly CatalogueEdit[] = [
  section('policy', 'two workers at a time', { maxUnavailable: 2 }),
  section('policy', 'hosts together', { spreadHosts: false }),
  section('policy', 'upgrade by replace', { upgrade: 'replace' }),
  section('policy', 'longer drains', { drain: { timeout: '10m' } }),
  section('kubernetes', 'a manifest', { manifests: ['app.yaml'] }),
  section('kubernetes', 'sealed secrets', { sealedSecrets: true }),
  section('kubernetes', 'Gateway API', { gatewayApi: true }),
  section('kubernetes', 'CSI driver', { csi: { storageClasses: { fast: { storage: 'tank' } } } }),
];

export const CATALOGUE: readonly CatalogueEdit[] = [
  ...NODES,
  ...PLACES,
  ...HARDWARE,
  ...DISKS,
  ...VERSIONS,
  ...CONFIGS,
  ...POLICIES,
];

/** What the edit of the manifests names. */
export const MANIFEST = `apiVersion: v1
kind: ConfigMap
metadata: { name: app, namespace: default }
data: { colour: green }
`;

export type Pair = readonly [CatalogueEdit, CatalogueEdit];

/** Each edit with itself is the edit alone. */
export function allPairs(edits: readonly CatalogueEdit[] = CATALOGUE): Pair[] {
  return edits.flatMap((a, index) => edits.slice(index).map((b): Pair => [a, b]));
}

export function pairName([a, b]: Pair): string {
  return a === b ? a.name : `${a.name} + ${b.name}`;
}

export function fileWith([a, b]: Pair): string {
  const file = baseFile();
  a.change(file);
  if (a !== b) b.change(file);
  return textOf(file);
}
