/** Each key of talhelper's talconfig.yaml, and the folders of topf. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { design } from '../../design/design-cluster.js';
import { MachineConfigWriter } from '../../design/machine-config/machine-config.js';
import { formatVersion } from '../../model/version.js';
import type { Config } from '../config.js';
import { loadConfig } from '../load.js';
import { loadTalconfig } from './load.js';

const DOCS = readFileSync(new URL('../../../docs/coming-from.md', import.meta.url), 'utf8');

const CLUSTER =
  'clusterName: home\nendpoint: https://10.0.30.30:6443\ntalosVersion: v1.13.2\nkubernetesVersion: v1.35.2\n';
const NIC =
  '    networkInterfaces:\n      - interface: eth0\n        addresses: [10.0.30.11/23]\n        routes: [{ network: 0.0.0.0/0, gateway: 10.0.30.1 }]\n';
const CP = `  - hostname: one\n    ipAddress: 10.0.30.11\n    controlPlane: true\n${NIC}`;
const WORKER = '  - hostname: two\n    ipAddress: 10.0.30.12\n';

interface Files {
  readonly [path: string]: string;
}

function load(text: string, files: Files = {}) {
  return loadTalconfig({
    file: { path: 'talconfig.yaml', name: 'talconfig.yaml', text },
    readText: (path) => files[path],
    listFiles: (folder) =>
      Object.keys(files).flatMap((path) =>
        path.startsWith(`${folder}/`) ? [path.slice(folder.length + 1)] : [],
      ),
  });
}

/** `cluster`: lines at the top; `node`: lines of the worker. */
function config({
  cluster = '',
  node = '',
  files = {},
}: {
  cluster?: string;
  node?: string;
  files?: Files;
}): Config {
  const text = `${CLUSTER}${cluster}\nnodes:\n${CP}${WORKER}${node === '' ? '' : `    ${node}\n`}`;
  const { config: loaded, diagnostics } = load(text, files);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (!loaded) throw new Error(errors.map(({ message }) => message).join('\n'));
  return loaded;
}

const worker = (c: Config) => c.nodes.find(({ name }) => name === 'two');

/** The machine config of the worker, as one object over all documents of a kind. */
function machine(c: Config, name = 'two'): unknown {
  const { documents } = new MachineConfigWriter(c, design(c)).forNode(name);
  return documents;
}

const ROWS: readonly {
  readonly key: string;
  readonly cluster?: string;
  readonly node?: string;
  readonly files?: Files;
  readonly read: (c: Config) => unknown;
  readonly meant: unknown;
}[] = [
  { key: 'clusterName', read: (c) => c.cluster.name, meant: 'home' },
  { key: 'endpoint', read: (c) => c.cluster.endpoint, meant: 'https://10.0.30.30:6443' },
  { key: 'talosVersion', read: (c) => formatVersion(c.talos.version), meant: 'v1.13.2' },
  { key: 'kubernetesVersion', read: (c) => formatVersion(c.cluster.kubernetes), meant: 'v1.35.2' },
  { key: 'domain', cluster: 'domain: k8s.lan', read: (c) => c.cluster.domain, meant: 'k8s.lan' },
  ...['allowSchedulingOnControlPlanes', 'allowSchedulingOnMasters'].map((key) => ({
    key,
    cluster: `${key}: true`,
    read: (c: Config) => c.cluster.scheduleOnControlPlanes,
    meant: true,
  })),
  ...['additionalMachineCertSans', 'additionalApiServerCertSans'].map((key) => ({
    key,
    cluster: `${key}: [k8s.lan]`,
    read: (c: Config) => c.cluster.certSANs,
    meant: ['k8s.lan'],
  })),
  {
    key: 'clusterPodNets',
    cluster: 'clusterPodNets: [10.1.0.0/16]',
    read: (c) => c.cluster.podSubnets,
    meant: ['10.1.0.0/16'],
  },
  {
    key: 'clusterSvcNets',
    cluster: 'clusterSvcNets: [10.2.0.0/16]',
    read: (c) => c.cluster.serviceSubnets,
    meant: ['10.2.0.0/16'],
  },
  {
    key: 'cniConfig',
    cluster: 'cniConfig: { name: none }',
    read: machine,
    meant: some({ cluster: { network: { cni: { name: 'none' } } } }),
  },
  {
    key: 'inlineManifests',
    cluster: 'inlineManifests: [{ name: x, contents: "@./x.yaml" }]',
    files: { 'x.yaml': 'kind: X\n' },
    read: (c) => machine(c, 'one'),
    meant: some({
      cluster: { inlineManifests: expect.arrayContaining([{ name: 'x', contents: 'kind: X\n' }]) },
    }),
  },
  {
    key: 'patches',
    cluster: 'patches: ["machine: { sysctls: { a: \\"1\\" } }"]',
    read: machine,
    meant: some({ machine: { sysctls: { a: '1' } } }),
  },
  {
    key: 'worker.patches',
    cluster: 'worker: { patches: ["@./w.yaml"] }',
    files: { 'w.yaml': 'machine:\n  sysctls: { a: "2" }\n' },
    read: (c) => [c.talos.patches.worker[0]?.origin, machine(c)],
    meant: ['w.yaml', some({ machine: { sysctls: { a: '2' } } })],
  },
  {
    key: 'controlPlane.patches',
    cluster:
      'controlPlane: { patches: ["- op: add\\n  path: /machine/sysctls/net.a~1b\\n  value: \\"3\\""] }',
    read: (c) => machine(c, 'one'),
    meant: some({ machine: { sysctls: { 'net.a/b': '3' } } }),
  },
  {
    key: 'imageFactory.registryURL',
    cluster: 'imageFactory: { registryURL: f.lan }',
    read: (c) => c.talos.factory,
    meant: 'https://f.lan',
  },
  { key: 'hostname', read: (c) => c.nodes.map(({ name }) => name), meant: ['one', 'two'] },
  { key: 'ipAddress', read: (c) => worker(c)?.ip, meant: '10.0.30.12' },
  { key: 'controlPlane', node: 'controlPlane: true', read: (c) => worker(c)?.role, meant: 'controlplane' },
  { key: 'installDisk', node: 'installDisk: /dev/sda', read: (c) => worker(c)?.patches, meant: [] },
  {
    key: 'installDiskSelector',
    node: 'installDiskSelector: { size: "> 10GB" }',
    read: (c) => worker(c)?.patches,
    meant: [],
  },
  {
    key: 'networkInterfaces',
    node: 'networkInterfaces: [{ deviceSelector: { hardwareAddr: "bc:24:11:00:00:09" }, mtu: 9000, vip: { ip: 10.0.30.30 } }]',
    read: (c) => [
      worker(c)?.nics[0]?.mac,
      worker(c)?.nics[0]?.mtu,
      c.cluster.vip,
      c.cluster.endpoint,
      c.network.subnet.prefix,
      c.network.gateway,
    ],
    meant: ['BC:24:11:00:00:09', 9000, '10.0.30.30', undefined, 23, '10.0.30.1'],
  },
  { key: 'nameservers', node: 'nameservers: [9.9.9.9]', read: (c) => worker(c)?.dns, meant: ['9.9.9.9'] },
  {
    key: 'nodeLabels',
    node: 'nodeLabels: { a: b }',
    read: (c) => worker(c)?.labels,
    meant: expect.objectContaining({ a: 'b' }),
  },
  {
    key: 'nodeTaints',
    node: 'nodeTaints: { a: "b:NoExecute" }',
    read: (c) => worker(c)?.taints,
    meant: [{ key: 'a', value: 'b', effect: 'NoExecute' }],
  },
  {
    key: 'nodeAnnotations',
    node: 'nodeAnnotations: { a: b }',
    read: machine,
    meant: some({ machine: { nodeAnnotations: { a: 'b' } } }),
  },
  {
    key: 'machineFiles',
    node: 'machineFiles: [{ path: /var/x, content: y }]',
    read: machine,
    meant: some({ machine: { files: [{ path: '/var/x', content: 'y' }] } }),
  },
  {
    key: 'machineDisks',
    node: 'machineDisks: [{ device: /dev/sdb }]',
    read: machine,
    meant: some({ machine: { disks: [{ device: '/dev/sdb' }] } }),
  },
  {
    key: 'kernelModules',
    node: 'kernelModules: [{ name: zfs }]',
    read: machine,
    meant: some({ machine: { kernel: { modules: [{ name: 'zfs' }] } } }),
  },
  {
    key: 'disableSearchDomain',
    node: 'disableSearchDomain: true',
    read: machine,
    meant: some({ machine: { network: { disableSearchDomain: true } } }),
  },
  {
    key: 'certSANs',
    node: 'certSANs: [x.lan]',
    read: machine,
    meant: some({ machine: { certSANs: expect.arrayContaining(['x.lan']) } }),
  },
  {
    key: 'extensionServices',
    node: 'extensionServices: [{ name: nut, environment: [A=b] }]',
    read: machine,
    meant: some({ kind: 'ExtensionServiceConfig', name: 'nut' }),
  },
  {
    key: 'userVolumes',
    node: 'userVolumes: [{ name: longhorn, provisioning: { minSize: 10GB } }]',
    read: machine,
    meant: some({ kind: 'UserVolumeConfig', name: 'longhorn' }),
  },
  {
    key: 'volumes',
    node: 'volumes: [{ name: EPHEMERAL, provisioning: { maxSize: 10GB } }]',
    read: machine,
    meant: some({ kind: 'VolumeConfig', name: 'EPHEMERAL', provisioning: { maxSize: '10GB' } }),
  },
  {
    key: 'ingressFirewall',
    node: 'ingressFirewall: { defaultAction: block, rules: [{ name: k, portSelector: { ports: [1], protocol: tcp } }] }',
    read: machine,
    meant: expect.arrayContaining([
      expect.objectContaining({ kind: 'NetworkDefaultActionConfig', ingress: 'block' }),
      expect.objectContaining({ kind: 'NetworkRuleConfig', name: 'k' }),
    ]),
  },
  {
    key: 'extraManifests',
    node: 'extraManifests: [m.yaml]',
    files: { 'm.yaml': 'machine: { sysctls: { a: "4" } }\n' },
    read: (c) => worker(c)?.patches[0]?.origin,
    meant: 'm.yaml',
  },
  {
    key: 'schematic',
    node: 'schematic: { customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent, siderolabs/zfs] } } }',
    read: (c) => JSON.stringify(worker(c)?.schematic),
    meant: expect.stringContaining('siderolabs/zfs'),
  },
];

function some(document: object): unknown {
  return expect.arrayContaining([expect.objectContaining(inside(document))]);
}

function inside(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      typeof inner === 'object' && inner !== null && !Array.isArray(inner) && inner.constructor === Object
        ? expect.objectContaining(inside(inner))
        : inner,
    ]),
  );
}

describe('keys of talconfig.yaml', () => {
  it.each(ROWS)('$key', ({ key, cluster = '', node = '', files = {}, read, meant }) => {
    expect(read(config({ cluster, node, files }))).toEqual(meant);
    expect(DOCS).toContain(key);
  });

  it.each([
    ['talosImageURL', 'talosImageURL: factory.talos.dev/installer/abc', 'talconfig.schematic'],
    ['overridePatches', 'overridePatches: true', 'talconfig.override'],
    ['overrideExtraManifests', 'overrideExtraManifests: true', 'talconfig.override'],
    ['ignoreHostname', 'ignoreHostname: true', 'talconfig.hostname'],
    ['networkInterfaces', 'networkInterfaces: [{ bond: { mode: 802.3ad } }]', 'talconfig.nic'],
    ['networkInterfaces', 'networkInterfaces: [{ mtu: 1500 }, { mtu: 1500 }]', 'talconfig.nic'],
  ])('%s is told', (key, node, code) => {
    const { diagnostics } = load(`${CLUSTER}nodes:\n${CP}${WORKER}    ${node}\n`);
    expect(diagnostics.map((each) => [each.severity, each.code])).toContainEqual(['warning', code]);
    expect(DOCS).toContain(key);
  });

  it.each([
    ['machineSpec', '    machineSpec: { secureboot: true }\n', 'talconfig.unsupported'],
    ['an unknown key', '    nodeLabel: { a: b }\n', 'config.unknown-key'],
    [
      'a JSON patch inside a list',
      '    patches: ["[{ op: replace, path: /machine/files/0/path, value: x }]"]\n',
      'talconfig.json-patch',
    ],
    ['a patch file that is missing', '    patches: ["@./none.yaml"]\n', 'config.file-missing'],
  ])('%s is refused', (_, node, code) => {
    const { config: loaded, diagnostics } = load(`${CLUSTER}nodes:\n${CP}${WORKER}${node}`);
    expect(loaded).toBeUndefined();
    expect(diagnostics.map((each) => each.code)).toContain(code);
  });

  it('takes variables from talenv.yaml, and names those that nothing sets', () => {
    const text = `${CLUSTER.replace('v1.13.2', `\${VERSION}`)}# \${COMMENT}\nnodes:\n${CP}`;
    expect(
      formatVersion(
        load(text, { 'talenv.yaml': 'VERSION: v1.13.5\n' }).config?.talos.version ?? {
          major: 0,
          minor: 0,
          patch: 0,
          pre: '',
        },
      ),
    ).toBe('v1.13.5');
    expect(load(text).diagnostics.map(({ code, line, message }) => [code, line, message])).toEqual([
      ['talconfig.variable', 3, expect.stringContaining('VERSION')],
    ]);
    const encrypted = { 'talenv.sops.yaml': 'VERSION: ENC[AES256_GCM,data:x]\n' };
    expect(load(text, encrypted).diagnostics[0]?.hint).toContain('talenv.sops.yaml is encrypted');
  });

  it('says what it does not know about Proxmox', () => {
    const { diagnostics, remarks } = load(`${CLUSTER}nodes:\n${CP}`);
    expect(diagnostics.map(({ code }) => code)).toContain('talconfig.proxmox');
    expect(remarks?.[0]).toContain('proxmox.endpoint');
  });
});

describe('topf', () => {
  it('has its folders of patches in their order', () => {
    const text =
      'clusterName: t\nclusterEndpoint: https://10.0.30.30:6443\nkubernetesVersion: 1.35.2\ntalosVersion: 1.13.2\nnodes:\n  - { host: one, ip: 10.0.30.11, role: control-plane }\n  - { host: two, ip: 10.0.30.12, role: worker, schematicId: "@s.yaml" }\n';
    const patch = (value: string) => `machine:\n  sysctls: { a: "${value}" }\n`;
    const { config: loaded, diagnostics } = load(text, {
      'all/02-b.yaml': patch('2'),
      'all/01-a.yaml': patch('1'),
      'all/03-empty.yaml': '# nothing yet\n',
      'all/04.yaml.tpl': '{{ if }}',
      'control-plane/x.yml': patch('3'),
      'worker/x.yaml': patch('4'),
      'node/two/x.yaml': patch('5'),
      's.yaml':
        'customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } }\n',
    });
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(loaded?.talos.patches.all.map(({ origin }) => origin)).toEqual(['all/01-a.yaml', 'all/02-b.yaml']);
    expect(loaded?.talos.patches.controlplane.map(({ origin }) => origin)).toEqual(['control-plane/x.yml']);
    expect(loaded && machine(loaded)).toEqual(some({ machine: { sysctls: { a: '5' } } }));
    expect(diagnostics.map(({ code }) => code)).toContain('talconfig.template');
  });
});

it('a config of another tool gets one hint as `-c`', () => {
  const { diagnostics } = loadConfig({
    path: 'x/talconfig.yaml',
    text: `${CLUSTER}nodes:\n${CP}`,
    readText: () => undefined,
  });
  expect(diagnostics.map(({ code, hint }) => [code, hint])).toEqual([
    ['config.other-tool', 'write an oxherd.yaml from it: `oxherd convert x/talconfig.yaml`'],
  ]);
});
