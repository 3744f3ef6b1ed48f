/** Each row of the module's tables of variables: its default, and where a value goes. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { design } from '../../design/design-cluster.js';
import { formatSize } from '../../model/size.js';
import { formatVersion } from '../../model/version.js';
import type { Config } from '../config.js';
import type { CsiVolume } from '../volume-config.js';
import { loadTfvars } from './load.js';
import { readVariables } from './read-variables.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const BASE = readFileSync(join(HERE, 'fixtures/base.tfvars'), 'utf8');
const DOCS = readFileSync(join(HERE, '../../../docs/coming-from.md'), 'utf8');

const FILES: Record<string, string> = {
  'schematic.yaml':
    'customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } }\n',
  'other.yaml':
    'customization: { systemExtensions: { officialExtensions: [siderolabs/iscsi-tools, siderolabs/qemu-guest-agent] } }\n',
  'install.yaml': 'kind: Job\n',
  'values.yaml': 'hubble: { enabled: false }\n',
  'a.cert': 'certificate',
  'a.key': 'key',
};

interface Patch {
  /** Lines for `cluster`, `image`, `proxmox`, and the worker. */
  readonly cluster?: string;
  readonly image?: string;
  readonly proxmox?: string;
  readonly worker?: string;
  /** Further variables. */
  readonly rest?: string;
}

/** The base file with lines put into it. */
function load(patch: Patch = {}, files = FILES) {
  let text = BASE;
  const into = (marker: string, line: string | undefined) => {
    if (line === undefined) return;
    expect(text).toContain(marker);
    text = text.replace(marker, () => `${line}\n${marker}`);
  };
  into('  proxmox_cluster     =', patch.cluster);
  into('  schematic_path =', patch.image);
  into('  cluster_name =', patch.proxmox);
  into('    vm_id         = 142', patch.worker);
  const whole = `${text}\n${patch.rest ?? ''}\n`;
  return loadTfvars({
    files: [{ path: 'terraform.tfvars', name: 'terraform.tfvars', text: whole }],
    readText: (path) => files[path],
  });
}

function config(patch: Patch = {}): Config {
  const { config: loaded, diagnostics } = load(patch);
  expect(diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
  if (!loaded) throw new Error('it did not load');
  return loaded;
}

const worker = (from: Config) => from.nodes.find((node) => node.role === 'worker');
const csi = (from: Config) =>
  from.volumes.find((volume): volume is CsiVolume => volume.type === 'proxmox-csi');
const CSI = (lines = '') => `volumes = {\n  foo = {\n    node = "pve1"\n    size = "100M"\n${lines}\n  }\n}`;
const DISK = (lines = '') => `volumes = {\n  foo = {\n    type = "disk"\n    size = "50G"\n${lines}\n  }\n}`;

interface Row {
  /** As in the module's documentation. */
  readonly row: string;
  /** What holds when the key is absent; `required` where the module asks for it. */
  readonly byDefault: unknown;
  readonly given: Patch;
  readonly meant: unknown;
  readonly read: (config: Config) => unknown;
  /** What is always there, so that the default can be seen. */
  readonly always?: Patch;
}

const required = Symbol('required');

const ROWS: readonly Row[] = [
  {
    row: 'cilium_config.bootstrap_manifest_path',
    byDefault: undefined,
    given: { rest: 'cilium_config = { bootstrap_manifest_path = "install.yaml" }' },
    meant: 'install.yaml',
    read: (c) => c.kubernetes.cilium?.manifest?.path,
  },
  {
    row: 'cilium_config.values_file_path',
    byDefault: undefined,
    given: { rest: 'cilium_config = { values_file_path = "values.yaml" }' },
    meant: { hubble: { enabled: false } },
    read: (c) => c.kubernetes.cilium?.values,
  },
  {
    row: 'cluster.gateway',
    byDefault: required,
    given: {},
    meant: '10.20.30.254',
    read: (c) => c.network.gateway,
  },
  {
    row: 'cluster.gateway_api_version',
    byDefault: required,
    given: {},
    meant: 'v1.6.3',
    read: (c) => c.kubernetes.gatewayApi?.version,
  },
  {
    row: 'cluster.kubernetes_version',
    byDefault: required,
    given: {},
    meant: 'v1.36.0',
    read: (c) => formatVersion(c.cluster.kubernetes),
  },
  { row: 'cluster.name', byDefault: required, given: {}, meant: 'dev-talos', read: (c) => c.cluster.name },
  {
    row: 'cluster.proxmox_cluster',
    byDefault: required,
    given: {},
    meant: 'homelab',
    read: (c) => c.proxmox.cluster,
  },
  {
    row: 'cluster.allow_scheduling_on_controlplane',
    byDefault: false,
    given: { cluster: '  allow_scheduling_on_controlplane = true' },
    meant: true,
    read: (c) => c.cluster.scheduleOnControlPlanes,
  },
  {
    row: 'cluster.api_server',
    byDefault: undefined,
    given: { cluster: '  api_server = <<-EOT\n    extraArgs: { a: b }\n  EOT' },
    meant: { extraArgs: { a: 'b' } },
    read: (c) => c.cluster.apiServer,
  },
  {
    row: 'cluster.extraManifests',
    byDefault: [],
    given: { cluster: '  extraManifests = ["https://example.com/a.yaml"]' },
    meant: [{ url: 'https://example.com/a.yaml' }],
    read: (c) => c.cluster.extraManifests,
  },
  {
    row: 'cluster.extra_manifests',
    byDefault: [],
    given: { cluster: '  extra_manifests = ["https://example.com/a.yaml"]' },
    meant: [{ url: 'https://example.com/a.yaml' }],
    read: (c) => c.cluster.extraManifests,
  },
  {
    row: 'cluster.kubelet',
    byDefault: undefined,
    given: { cluster: '  kubelet = "registerWithFQDN: true"' },
    meant: { registerWithFQDN: true },
    read: (c) => c.cluster.kubelet,
  },
  {
    row: 'cluster.machine_features',
    byDefault: undefined,
    given: { cluster: '  machine_features = "rbac: true"' },
    meant: { rbac: true },
    read: (c) => c.cluster.machineFeatures,
  },
  {
    row: 'cluster.on_boot',
    byDefault: true,
    given: { cluster: '  on_boot = false' },
    meant: false,
    read: (c) => worker(c)?.vm.onBoot,
  },
  {
    row: 'cluster.subnet_mask',
    byDefault: 24,
    given: { cluster: '  subnet_mask = "20"' },
    meant: 20,
    read: (c) => c.network.subnet.prefix,
  },
  {
    row: 'cluster.talos_machine_config_version',
    byDefault: 'v1.14.0',
    given: { cluster: '  talos_machine_config_version = "v1.13.2"' },
    meant: 'v1.13.0',
    read: (c) => formatVersion(c.talos.contract),
  },
  {
    row: 'cluster.vip',
    byDefault: undefined,
    given: { cluster: '  vip = "10.20.30.40"' },
    meant: '10.20.30.40',
    read: (c) => c.cluster.vip,
  },
  { row: 'env', byDefault: '', given: { rest: 'env = "dev"' }, meant: 'dev', read: (c) => c.cluster.env },
  {
    row: 'image.schematic_path',
    byDefault: required,
    given: {},
    meant: ['siderolabs/qemu-guest-agent'],
    read: (c) => extensions(c.talos.schematic),
  },
  {
    row: 'image.version',
    byDefault: required,
    given: {},
    meant: 'v1.14.1',
    read: (c) => formatVersion(c.talos.version),
  },
  {
    row: 'image.arch',
    byDefault: 'amd64',
    given: { image: '  arch = "arm64"' },
    meant: 'arm64',
    read: (c) => c.talos.arch,
  },
  {
    row: 'image.factory_url',
    byDefault: 'https://factory.talos.dev',
    given: { image: '  factory_url = "https://factory.example.com"' },
    meant: 'https://factory.example.com',
    read: (c) => c.talos.factory,
  },
  {
    row: 'image.platform',
    byDefault: 'nocloud',
    given: { image: '  platform = "metal"' },
    meant: 'metal',
    read: (c) => c.talos.platform,
  },
  {
    row: 'image.datastore',
    byDefault: 'local',
    given: { image: '  datastore = "nfs"' },
    meant: 'nfs',
    read: (c) => c.proxmox.imageStorage,
  },
  {
    row: 'image.update_schematic_path',
    byDefault: ['siderolabs/qemu-guest-agent'],
    given: { image: '  update_schematic_path = "other.yaml"' },
    meant: ['siderolabs/iscsi-tools', 'siderolabs/qemu-guest-agent'],
    read: (c) => extensions(worker(c)?.schematic),
    always: { worker: '    update = true' },
  },
  {
    row: 'image.update_version',
    byDefault: 'v1.14.1',
    given: { image: '  update_version = "v1.14.2"' },
    meant: 'v1.14.2',
    read: (c) => formatVersion(worker(c)?.talosVersion ?? c.talos.version),
    always: { worker: '    update = true' },
  },
  { row: 'nodes.cpu', byDefault: required, given: {}, meant: 4, read: (c) => worker(c)?.vm.cores },
  { row: 'nodes.host_node', byDefault: required, given: {}, meant: 'pve1', read: (c) => worker(c)?.host },
  { row: 'nodes.ip', byDefault: required, given: {}, meant: '10.20.30.42', read: (c) => worker(c)?.ip },
  {
    row: 'nodes.machine_type',
    byDefault: required,
    given: {},
    meant: 'worker',
    read: (c) => worker(c)?.role,
  },
  {
    row: 'nodes.ram_dedicated',
    byDefault: required,
    given: {},
    meant: 16,
    read: (c) => (worker(c)?.vm.memory ?? 0) / 1024 ** 3,
  },
  { row: 'nodes.vm_id', byDefault: required, given: {}, meant: 142, read: (c) => worker(c)?.vmid },
  {
    row: 'nodes.bridge',
    byDefault: 'vmbr0',
    given: { worker: '    bridge = "mybridge"' },
    meant: 'mybridge',
    read: (c) => worker(c)?.nics[0]?.bridge,
  },
  {
    row: 'nodes.cpu_type',
    byDefault: 'x86-64-v2-AES',
    given: { worker: '    cpu_type = "host"' },
    meant: 'host',
    read: (c) => worker(c)?.vm.cpuType,
  },
  {
    row: 'nodes.datastore',
    byDefault: 'local-zfs',
    given: { worker: '    datastore = "nfs"' },
    meant: 'nfs',
    read: (c) => worker(c)?.vm.storage,
  },
  {
    row: 'nodes.disk_size',
    byDefault: 20,
    given: { worker: '    disk_size = 30' },
    meant: 30,
    read: (c) => (worker(c)?.vm.disk ?? 0) / 1024 ** 3,
  },
  {
    row: 'nodes.disksize',
    byDefault: 20,
    given: { worker: '    disksize = 30' },
    meant: 30,
    read: (c) => (worker(c)?.vm.disk ?? 0) / 1024 ** 3,
  },
  {
    row: 'nodes.dns',
    byDefault: undefined,
    given: { worker: '    dns = ["1.1.1.1"]' },
    meant: ['1.1.1.1'],
    read: (c) => worker(c)?.dns,
  },
  {
    row: 'nodes.igpu',
    byDefault: [],
    given: { worker: '    igpu = true' },
    meant: ['iGPU'],
    read: (c) => worker(c)?.vm.pci.map((device) => device.mapping),
  },
  {
    row: 'nodes.mac_address',
    byDefault: undefined,
    given: { worker: '    mac_address = "BC:24:11:2E:C8:02"' },
    meant: 'BC:24:11:2E:C8:02',
    read: (c) => worker(c)?.nics[0]?.mac,
  },
  {
    row: 'nodes.update',
    byDefault: 'v1.14.1',
    given: { worker: '    update = true' },
    meant: 'v1.14.2',
    read: (c) => formatVersion(worker(c)?.talosVersion ?? c.talos.version),
    always: { image: '  update_version = "v1.14.2"' },
  },
  {
    row: 'nodes.vlan_id',
    byDefault: undefined,
    given: { worker: '    vlan_id = 123' },
    meant: 123,
    read: (c) => worker(c)?.nics[0]?.vlan,
  },
  {
    row: 'nodes.vlan',
    byDefault: undefined,
    given: { worker: '    vlan = 123' },
    meant: 123,
    read: (c) => worker(c)?.nics[0]?.vlan,
  },
  {
    row: 'proxmox.cluster_name',
    byDefault: required,
    given: {},
    meant: 'homelab',
    read: (c) => c.proxmox.cluster,
  },
  {
    row: 'proxmox.endpoint',
    byDefault: required,
    given: {},
    meant: ['https://pve.example.com:8006'],
    read: (c) => c.proxmox.endpoints,
  },
  {
    row: 'proxmox.insecure',
    byDefault: required,
    given: {},
    meant: 'system',
    read: (c) => c.proxmox.tls.kind,
  },
  {
    row: 'proxmox.username',
    byDefault: undefined,
    given: { proxmox: '  username = "terraform"' },
    meant: undefined,
    read: () => undefined,
  },
  {
    row: 'proxmox_api_token',
    byDefault: { kind: 'env', name: 'TF_VAR_proxmox_api_token' },
    given: { rest: 'proxmox_api_token = "a@pve!b=01234567-89ab-cdef-0123-456789abcdef"' },
    meant: { kind: 'tfvars', path: 'terraform.tfvars', variable: 'proxmox_api_token' },
    read: (c) => c.proxmox.token,
  },
  {
    row: 'sealed_secrets_config.certificate_path',
    byDefault: { generate: true },
    given: { rest: 'sealed_secrets_config = {\n  certificate_path = "a.cert"\n  key_path = "a.key"\n}' },
    meant: {
      certificate: { path: 'a.cert', text: 'certificate' },
      key: { kind: 'file', path: 'a.key' },
      generate: false,
    },
    read: (c) => c.kubernetes.sealedSecrets,
  },
  {
    row: 'sealed_secrets_config.key_path',
    byDefault: undefined,
    given: { rest: 'sealed_secrets_config = {\n  certificate_path = "a.cert"\n  key_path = "a.key"\n}' },
    meant: { kind: 'file', path: 'a.key' },
    read: (c) => c.kubernetes.sealedSecrets?.key,
  },
  {
    row: 'volumes.datastore',
    byDefault: 'local-zfs',
    given: { rest: CSI('    datastore = "nfs"') },
    meant: 'nfs',
    read: (c) => csi(c)?.storage,
    always: { rest: CSI() },
  },
  {
    row: 'volumes.format',
    byDefault: 'raw',
    given: { rest: CSI('    format = "qcow"') },
    meant: 'qcow2',
    read: (c) => csi(c)?.format,
    always: { rest: CSI() },
  },
  {
    row: 'volumes.machine_type',
    byDefault: 'worker',
    given: { rest: DISK('    machine_type = "all"') },
    meant: 'all',
    read: (c) => c.volumes[0]?.type === 'disk' && c.volumes[0].on,
    always: { rest: DISK() },
  },
  {
    row: 'volumes.node',
    byDefault: 'pve1',
    given: { rest: CSI() },
    meant: 'pve1',
    read: (c) => csi(c)?.host,
    always: { rest: CSI() },
  },
  {
    row: 'volumes.size',
    byDefault: 100,
    given: { rest: CSI() },
    meant: 100,
    read: (c) => (csi(c)?.size ?? 0) / 1024 ** 2,
    always: { rest: CSI() },
  },
  {
    row: 'volumes.type',
    byDefault: 'proxmox-csi',
    given: { rest: DISK() },
    meant: 'disk',
    read: (c) => c.volumes[0]?.type,
    always: { rest: CSI() },
  },
  {
    row: 'volumes.vmid',
    byDefault: 9999,
    given: { rest: CSI('    vmid = "9876"') },
    meant: 9876,
    read: (c) => csi(c)?.vmid,
    always: { rest: CSI() },
  },
];

function extensions(schematic: unknown): unknown {
  return JSON.parse(JSON.stringify(schematic ?? {})).customization?.systemExtensions?.officialExtensions;
}

describe('rows of the module’s tables', () => {
  it.each(ROWS.filter((row) => row.byDefault !== required))(
    '$row: default',
    ({ byDefault, read, always }) => {
      expect(read(config(always ?? {}))).toEqual(byDefault);
    },
  );

  it.each(ROWS.filter((row) => row.byDefault === required))('$row: required', ({ row }) => {
    const key = row.split('.')[1] ?? '';
    const lines = new RegExp(`^\\s+${key}\\s+=`);
    const text = BASE.split('\n')
      .filter((line) => !lines.test(line))
      .join('\n');
    const { config: loaded, diagnostics } = loadTfvars({
      files: [{ path: 'terraform.tfvars', name: 'terraform.tfvars', text }],
      readText: (path) => FILES[path],
    });
    expect(loaded).toBeUndefined();
    expect(diagnostics.map((each) => each.message).join('\n')).toContain(`needs \`${key}\``);
  });

  it.each(ROWS)('$row: given', ({ given, meant, read, always }) => {
    expect(read(config({ ...always, ...given }))).toEqual(meant);
  });

  it('cluster.subnet_mask and cluster.gateway give the network', () => {
    expect(config({ cluster: '  subnet_mask = 20' }).network.subnet).toEqual({
      network: '10.20.16.0',
      prefix: 20,
    });
  });

  it.each(ROWS)('$row: is in docs/coming-from.md', ({ row }) => {
    const [variable, key] = row.split('.');
    expect(DOCS).toContain(key === undefined ? `\`${variable}\`` : `\`${variable}.${key}\``);
  });
});

describe('the module’s volumes', () => {
  it.each([
    ['1Gi', '1GiB'],
    ['7GB', '7GiB'],
    ['7GiB', '7GiB'],
    ['50G', '50GiB'],
    ['2T', '2TiB'],
  ])('size %s is %s', (size, meant) => {
    const volume = config({ rest: `volumes = { a = { type = "disk", size = "${size}" } }` }).volumes[0];
    expect(volume?.type === 'disk' && formatSize(volume.size)).toBe(meant);
  });

  it('a partition, which the module refuses, is one here', () => {
    expect(
      config({ rest: 'volumes = { a = { type = "partition", size = "5G" } }' }).volumes[0],
    ).toMatchObject({ type: 'partition', place: 'disk' });
  });

  it('says what a type does not use', () => {
    const { diagnostics } = load({
      rest: 'volumes = { a = { type = "directory", size = "5G", datastore = "nfs" } }',
    });
    expect(diagnostics).toMatchObject([{ severity: 'warning', code: 'tfvars.unused' }]);
  });
});

describe('what surrounds the variables', () => {
  it('is the same in JSON', () => {
    const { document } = readVariables([{ path: 'base.tfvars', name: 'base.tfvars', text: BASE }]);
    const text = JSON.stringify(document?.raw, null, 2);
    const { config: loaded, diagnostics } = loadTfvars({
      files: [{ path: 'terraform.tfvars.json', name: 'terraform.tfvars.json', text }],
      readText: (path) => FILES[path],
    });
    expect(diagnostics).toEqual([]);
    expect(loaded).toEqual(config());
  });

  it('takes the sealed-secrets key pair from its default place where it is there', () => {
    const place = 'assets/sealed-secrets/certificate/sealed-secrets';
    const { config: loaded } = load(
      {},
      { ...FILES, [`${place}.cert`]: 'certificate', [`${place}.key`]: 'key' },
    );
    expect(loaded?.kubernetes.sealedSecrets).toEqual({
      certificate: { path: `${place}.cert`, text: 'certificate' },
      key: { kind: 'file', path: `${place}.key` },
      generate: false,
    });
  });

  it('leaves variables of other modules alone, with a word about each', () => {
    const { config: loaded, diagnostics } = load({ rest: 'aws_region = "eu-central-1"' });
    expect(loaded).toBeDefined();
    expect(diagnostics).toMatchObject([{ severity: 'warning', code: 'tfvars.variable', line: 40 }]);
  });

  it('says that a node is to be updated to nothing', () => {
    const { diagnostics } = load({ worker: '    update = true' });
    expect(diagnostics).toMatchObject([{ severity: 'warning', code: 'tfvars.update' }]);
  });

  it('makes Cilium, the Gateway API and the access of the CSI driver, as the module always does', () => {
    const { kubernetes } = config();
    expect(kubernetes.cilium).toBeDefined();
    expect(kubernetes.gatewayApi?.channel).toBe('standard');
    expect(kubernetes.csi).toBeDefined();
  });
});

describe('the documented examples in one file', () => {
  const folder = join(HERE, 'fixtures/documented');
  const readText = (path: string) => {
    try {
      return readFileSync(join(folder, path), 'utf8');
    } catch {
      return undefined;
    }
  };
  const text = readFileSync(join(folder, 'terraform.tfvars'), 'utf8');
  const { config: loaded, diagnostics } = loadTfvars({
    files: [{ path: 'terraform.tfvars', name: 'terraform.tfvars', text }],
    readText,
  });

  it('load, and say each thing once', () => {
    expect(diagnostics.map((each) => [each.severity, each.code])).toEqual([
      ['warning', 'tfvars.place'],
      ['warning', 'tfvars.place'],
      ['warning', 'tfvars.platform'],
      ['warning', 'tfvars.region'],
      ['warning', 'tfvars.ssh'],
    ]);
    expect(loaded?.cluster.extraManifests[1]?.url).toContain('/gateway-api/v1.3.0/config/');
    expect(loaded?.cluster.apiServer).toMatchObject({ extraArgs: { 'oidc-username-prefix': 'authelia:' } });
  });

  it('hold no secret once they are loaded', () => {
    expect(text).toContain('01234567-89ab');
    expect(JSON.stringify(loaded)).not.toContain('01234567-89ab');
  });

  it('lead to the module’s VMs', () => {
    if (!loaded) throw new Error('it did not load');
    const { nodes, csiVolumes } = design(loaded);
    expect(nodes.map((node) => [node.talosVm.vmid, node.dataVm?.vmid])).toEqual([
      [141, 1410],
      [142, 1420],
    ]);
    expect(nodes[1]?.drives.map((drive) => drive.name)).toEqual([
      'os',
      'ephemeral',
      'atest-disk2',
      'example',
      'longhorn',
      'test-disk1',
    ]);
    expect(nodes[1]?.talosVm.options).toMatchObject({
      cores: 4,
      cpu: 'custom-x86-64-v2-AES-AVX',
      hostpci0: 'mapping=iGPU,pcie=1,rombar=1,x-vga=0',
      net0: 'virtio=BC:24:11:2E:C8:02,bridge=mybridge,firewall=0,tag=123',
    });
    expect(csiVolumes.map((volume) => volume.volumeName)).toEqual(['vm-9876-dev-bar', 'vm-9999-dev-foo']);
  });
});
