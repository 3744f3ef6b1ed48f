import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { config, gib, ip, mac, nic, nodeConfig, version } from '../../../test/support/design/config.js';
import type { Config } from '../../config/config.js';
import { isMapping, type Mapping } from '../../formats/text/mapping.js';
import { parseTalosSecrets } from '../../secrets/talos-secrets.js';
import { design } from '../design-cluster.js';
import { MachineConfigWriter, machineConfig } from './machine-config.js';

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');
const documentsOf = (text: string): Mapping[] => parseAllDocuments(text).map((document) => document.toJS());

/** The value without what stands at these paths. */
function without(value: unknown, paths: readonly string[]): unknown {
  const copy: unknown = structuredClone(value);
  for (const path of paths) {
    const keys = path.split('|');
    const last = keys.pop() ?? '';
    const parent = keys.reduce<unknown>((at, key) => (isMapping(at) ? at[key] : undefined), copy);
    if (isMapping(parent)) delete parent[last];
  }
  return copy;
}

/** Where our configs differ on purpose from what `talosctl gen config` writes. */
const DIFFERENCES = {
  controlplane: [
    'machine|certSANs', // the VIP and the endpoint
    'machine|kubelet|nodeIP', // limited to the subnet, without the VIP
    'machine|install|disk', // by WWID instead
    'machine|install|diskSelector',
    'machine|install|image', // with the schematic
    'machine|nodeLabels|topology.kubernetes.io/region',
    'machine|nodeLabels|topology.kubernetes.io/zone',
    'cluster|apiServer|certSANs',
    'cluster|etcd|advertisedSubnets',
    'cluster|allowSchedulingOnControlPlanes', // said also where it is the default
    'machine|network', // {} in 1.12
  ],
  worker: [
    'machine|kubelet|nodeIP',
    'machine|install|disk',
    'machine|install|diskSelector',
    'machine|install|image',
    'machine|nodeLabels',
    'machine|network',
  ],
} as const;

describe.each([
  ['v1.13', 'v1.36.0', '../../../test/fixtures/secrets/talos-v1.13/'],
  ['v1.12', 'v1.35.0', '../../../test/fixtures/design/machine-config/talos-v1.12/'],
])('the same meaning as `talosctl gen config` of contract %s', (_contract, kubernetes, folder) => {
  const base = config();
  const demo = config({
    cluster: {
      ...base.cluster,
      name: 'demo',
      endpoint: 'https://10.5.0.10:6443',
      kubernetes: version(kubernetes),
    },
  });
  const own = parseTalosSecrets(read(`${folder}secrets.yaml`), 'fixture');
  const writer = new MachineConfigWriter(demo, design(demo), { secrets: own });

  it.each([
    ['controlplane', 'cp-1', 'controlplane-0.yaml'],
    ['worker', 'work-1', 'worker-3.yaml'],
  ] as const)('%s, except for the listed differences', (role, node, file) => {
    const [ours] = documentsOf(writer.forNode(node).text());
    const [real] = documentsOf(read(`${folder}${file}`));
    expect(without(ours, DIFFERENCES[role])).toEqual(without(real, DIFFERENCES[role]));
  });
});

describe('the generation of a config', () => {
  const base = config();
  const documents = (contract: string, node: string) => {
    const made = config({ talos: { ...base.talos, contract: version(`${contract}.0`) } });
    const writer = new MachineConfigWriter(made, design(made));
    return documentsOf(writer.forNode(node).text()) as Record<string, unknown>[];
  };
  const kinds = (contract: string, node = 'cp-1') => documents(contract, node).map(({ kind }) => kind);

  it.each(['cp-1', 'work-1'])(
    'of 1.14 brings %s what `talosctl gen config` of 1.14 has beside the old fields',
    (node) => {
      const added = kinds('v1.14', node).filter((kind) => !kinds('v1.13', node).includes(kind));
      expect(added).toEqual(['FilesystemTrimConfig', 'SecurityProfileConfig']);
      const made = documents('v1.14', node);
      // After the recording of `talosctl gen config --talos-version v1.14`.
      expect(made.find(({ kind }) => kind === 'FilesystemTrimConfig')).toMatchObject({
        interval: '168h0m0s',
      });
      expect(made.find(({ kind }) => kind === 'SecurityProfileConfig')).toMatchObject({
        workloadIsolation: true,
      });
      expect(made.find(({ name }) => name === 'EPHEMERAL')).toMatchObject({ mount: { secure: true } });
    },
  );

  it('of 1.12 and 1.13 are the same', () => {
    expect(documents('v1.12', 'cp-1')).toEqual(documents('v1.13', 'cp-1'));
    expect(documents('v1.13', 'cp-1').find(({ name }) => name === 'EPHEMERAL')).not.toHaveProperty('mount');
  });
});

describe('the nodes of the Terraform module', () => {
  const base = config();
  const metrics =
    'cluster:\n  controllerManager:\n    extraArgs:\n      bind-address: 0.0.0.0\n  scheduler:\n    extraArgs:\n      bind-address: 0.0.0.0\n  etcd:\n    extraArgs:\n      listen-metrics-urls: http://0.0.0.0:2381\n';
  const module = config({
    cluster: { ...base.cluster, name: 'dev', vip: ip('10.7.8.100'), kubernetes: version('v1.35.0') },
    talos: {
      ...base.talos,
      version: version('v1.12.0'),
      patches: { all: [], controlplane: [{ text: metrics, origin: 'metrics' }], worker: [] },
    },
    proxmox: { ...base.proxmox, cluster: 'proxmox' },
    network: {
      ...base.network,
      subnet: { network: ip('10.7.8.0'), prefix: 24 },
      gateway: ip('10.7.8.1'),
      dns: ['10.7.8.1'],
    },
    nodes: [
      nodeConfig('ctrl-01.example.com', 111, 'controlplane', {
        ip: ip('10.7.8.11'),
        talosVersion: version('v1.12.0'),
        nics: [{ ...nic, mac: mac('bc:24:11:00:00:01') }],
      }),
      nodeConfig('work-01.example.com', 121, 'worker', {
        ip: ip('10.7.8.21'),
        host: 'pve2',
        talosVersion: version('v1.12.0'),
      }),
    ],
    volumes: [
      { name: 'data', type: 'disk', on: 'all', size: gib(7), filesystem: 'xfs', backup: undefined },
      { name: 'dir', type: 'directory', on: 'worker' },
    ],
    kubernetes: {
      manifests: [],
      gatewayApi: { version: 'v1.4.1', channel: 'standard' },
      cilium: {
        version: 'v1.18.7',
        cliImage: 'quay.io/cilium/cilium-cli:v0.18.9',
        hubble: true,
        gatewayApi: true,
        l2Announcements: true,
      },
    },
  });
  const writer = new MachineConfigWriter(module, design(module));
  /** Secrets differ; the rest of the list is what documents say now, or the module did not. */
  const secretPaths = [
    'machine|token',
    'machine|ca',
    'cluster|id',
    'cluster|secret',
    'cluster|token',
    'cluster|secretboxEncryptionSecret',
    'cluster|ca',
    'cluster|aggregatorCA',
    'cluster|serviceAccount',
    'cluster|etcd|ca',
  ];
  const changed = [
    'machine|network',
    'machine|certSANs',
    'machine|kubelet|nodeIP',
    'machine|install',
    'cluster|apiServer|certSANs',
    'cluster|etcd|advertisedSubnets',
    'cluster|inlineManifests',
  ];

  it('control plane: the same main document, and addresses, name and volumes in documents', () => {
    const documents = documentsOf(writer.forNode('ctrl-01.example.com').text());
    const real = documentsOf(
      read('../../../test/fixtures/design/machine-config/seed-module/machineconfig-controlplane.yaml'),
    );
    const paths = [...secretPaths, ...changed];
    expect(without(documents[0], paths)).toEqual(without(real[0], paths));
    const byKind = (kind: string) => (list: Mapping[]) => list.filter((document) => document.kind === kind);
    for (const kind of ['HostnameConfig', 'ResolverConfig'])
      expect(byKind(kind)(documents)).toEqual(byKind(kind)(real));
    expect(documents).toContainEqual({
      apiVersion: 'v1alpha1',
      kind: 'LinkConfig',
      name: 'net0',
      up: true,
      addresses: [{ address: '10.7.8.11/24' }],
      routes: [{ gateway: '10.7.8.1' }],
    });
    expect(documents).toContainEqual({
      apiVersion: 'v1alpha1',
      kind: 'LinkAliasConfig',
      name: 'net0',
      selector: { match: 'mac(link.permanent_addr) == "bc:24:11:00:00:01"' },
    });
    expect(documents).toContainEqual({
      apiVersion: 'v1alpha1',
      kind: 'Layer2VIPConfig',
      name: '10.7.8.100',
      link: 'net0',
    });
  });

  it('worker: the same, without what only control planes need', () => {
    const documents = documentsOf(writer.forNode('work-01.example.com').text());
    const [real] = documentsOf(
      read('../../../test/fixtures/design/machine-config/seed-module/machineconfig-worker.yaml'),
    );
    // The module gave workers the images of components that they never run, and left their CNI at Talos' default.
    const paths = [
      ...secretPaths,
      ...changed,
      'cluster|apiServer',
      'cluster|controllerManager',
      'cluster|scheduler',
      'cluster|proxy',
      'cluster|network|cni',
    ];
    expect(without(documents[0], paths)).toEqual(without(real, paths));
    expect(documents.map((document) => document.kind)).not.toContain('Layer2VIPConfig');
    expect(documents).toContainEqual({
      apiVersion: 'v1alpha1',
      kind: 'UserVolumeConfig',
      name: 'dir',
      volumeType: 'directory',
    });
  });
});

describe('details', () => {
  const base = config();

  it('limit EPHEMERAL where partitions share its disk', () => {
    const volumes: Config['volumes'] = [
      {
        name: 'part',
        type: 'partition',
        place: 'ephemeral',
        on: 'all',
        size: gib(4),
        filesystem: 'xfs',
        backup: undefined,
      },
    ];
    const made = new MachineConfigWriter(config({ volumes }), design(config({ volumes }))).forNode('cp-1');
    const ephemeral = made.documents.find((document) => document.name === 'EPHEMERAL');
    expect(ephemeral?.provisioning).toMatchObject({ maxSize: '16352MiB', grow: false });
    const part = made.documents.find((document) => document.name === 'part');
    expect(part?.provisioning).toMatchObject({ minSize: '4GiB', maxSize: '4GiB', grow: false });
  });

  it('refuse a disk key that would die with the System disk', () => {
    const locked = config({
      talos: { ...base.talos, encryption: { ephemeral: { kind: 'nodeID', lockToState: true } } },
    });
    expect(() => machineConfig(locked, design(locked), 'cp-1')).toThrow(/locked to STATE/);
  });

  it('ask for an address of the API where there are several control planes', () => {
    const nodes = [nodeConfig('a', 101, 'controlplane'), nodeConfig('b', 102, 'controlplane')];
    expect(() => machineConfig(config({ nodes }), design(config({ nodes })), 'a')).toThrow(
      /one address for the Kubernetes API/,
    );
  });

  it('carry a static passphrase, and redact it', () => {
    const ephemeral = {
      kind: 'static',
      passphrase: { kind: 'env', name: 'DISK' },
      lockToState: false,
    } as const;
    const encrypted = config({ talos: { ...base.talos, encryption: { ephemeral } } });
    const made = new MachineConfigWriter(encrypted, design(encrypted), {
      passphrases: { 'env:DISK': 'tell-nobody' },
    }).forNode('cp-1');
    expect(made.text()).toContain('passphrase: tell-nobody');
    expect(made.comparable()).not.toContain('tell-nobody');
  });

  it('warn of a patch that erases a selector, and refuse one that Talos would', () => {
    const patched = (text: string): Config =>
      config({
        talos: { ...base.talos, patches: { ...base.talos.patches, all: [{ text, origin: 'patch.yaml' }] } },
      });
    const erasing = patched(
      'apiVersion: v1alpha1\nkind: VolumeConfig\nname: EPHEMERAL\nprovisioning:\n  maxSize: 10GiB\n',
    );
    expect(new MachineConfigWriter(erasing, design(erasing)).forNode('cp-1').notices).toMatchObject([
      {
        node: 'cp-1',
        origin: 'patch.yaml',
        message: expect.stringContaining('provisioning.diskSelector.match'),
      },
    ]);
    const wrong = patched('machine:\n  kubelt: {}\n');
    expect(() => machineConfig(wrong, design(wrong), 'cp-1')).toThrow(
      /patch\.yaml.*unknown keys.*\n.*\n?.*kubelt/s,
    );
  });

  it('refuse a kind of document that is newer than the node', () => {
    const text = 'apiVersion: v1alpha1\nkind: KubeNodeConfig\n';
    const nodes = [
      nodeConfig('a', 101, 'controlplane', {
        talosVersion: version('v1.13.9'),
        patches: [{ text, origin: 'x' }],
      }),
    ];
    expect(() => machineConfig(config({ nodes }), design(config({ nodes })), 'a')).toThrow(
      /v1\.13 knows no KubeNodeConfig/,
    );
  });

  it('give the zone of the host that a node is really on', () => {
    const made = machineConfig(base, design(base), 'cp-1', { hosts: { 'cp-1': 'pve9' } });
    expect(made).toContain('topology.kubernetes.io/zone: pve9');
  });
});
