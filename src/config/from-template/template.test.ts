/** The template's options: the reference VM, the defaults, and how they are merged. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { design } from '../../design/design-cluster.js';
import { qmConfigs } from '../../export/qm.js';
import type { Config } from '../config.js';
import { loadConfig } from '../load.js';
import { loadTemplate } from './load.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const reference = (name: string) => readFileSync(join(HERE, 'fixtures/reference', name), 'utf8');

function load(cluster: string, nodes: string, files: Readonly<Record<string, string>> = {}) {
  return loadTemplate({
    cluster: { path: 'cluster.yaml', name: 'cluster.yaml', text: cluster },
    nodes: { path: 'nodes.yaml', name: 'nodes.yaml', text: nodes },
    readText: (path) => files[path],
  });
}

function config(cluster: string, nodes: string, files?: Readonly<Record<string, string>>): Config {
  const { config: loaded, diagnostics } = load(cluster, nodes, files);
  expect(diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
  if (!loaded) throw new Error('it did not load');
  return loaded;
}

/** The least that the two files may say. */
const LEAST = 'proxmox_api_url: https://pve.lan:8006\nproxmox_node: pve\ncluster_api_addr: 10.7.0.5\n';
const nodes = (...entries: string[]) => `nodes:\n${entries.map((entry) => `  - ${entry}\n`).join('')}`;
const CP = '{ name: cp-1, address: 10.7.0.11, controller: true }';
const WORKER = '{ name: work-1, address: 10.7.0.21, controller: false }';

/** Every option, with a value that is not the default, and what it becomes. */
const OPTIONS: readonly {
  readonly option: string;
  readonly cluster?: string;
  readonly node?: string;
  readonly read: (config: Config) => unknown;
  readonly meant: unknown;
}[] = [
  {
    option: 'proxmox_cluster',
    cluster: 'proxmox_cluster: rack',
    read: (c) => c.proxmox.cluster,
    meant: 'rack',
  },
  {
    option: 'proxmox_insecure',
    cluster: 'proxmox_insecure: true',
    read: (c) => c.proxmox.tls.kind,
    meant: 'insecure',
  },
  { option: 'cluster_name', cluster: 'cluster_name: home', read: (c) => c.cluster.name, meant: 'home' },
  {
    option: 'talos_version',
    cluster: 'talos_version: v1.14.2',
    read: (c) => c.talos.version.patch,
    meant: 2,
  },
  {
    option: 'kubernetes_version',
    cluster: 'kubernetes_version: v1.36.7',
    read: (c) => c.cluster.kubernetes.patch,
    meant: 7,
  },
  { option: 'node_cidr', cluster: 'node_cidr: 10.7.0.0/16', read: (c) => c.network.subnet.prefix, meant: 16 },
  {
    option: 'node_default_gateway',
    cluster: 'node_default_gateway: 10.7.0.254',
    read: (c) => c.network.gateway,
    meant: '10.7.0.254',
  },
  {
    option: 'node_dns_servers',
    cluster: 'node_dns_servers: [9.9.9.9]',
    read: (c) => c.network.dns,
    meant: ['9.9.9.9'],
  },
  {
    option: 'node_ntp_servers',
    cluster: 'node_ntp_servers: [time.lan]',
    read: (c) => c.network.ntp,
    meant: ['time.lan'],
  },
  {
    option: 'node_vlan_tag',
    cluster: 'node_vlan_tag: "9"',
    read: (c) => c.nodes[0]?.nics[0]?.vlan,
    meant: 9,
  },
  {
    option: 'cluster_api_tls_sans',
    cluster: 'cluster_api_tls_sans: [k.lan]',
    read: (c) => c.cluster.certSANs,
    meant: ['k.lan'],
  },
  {
    option: 'cluster_pod_cidr',
    cluster: 'cluster_pod_cidr: 10.50.0.0/16',
    read: (c) => c.cluster.podSubnets,
    meant: ['10.50.0.0/16'],
  },
  {
    option: 'cluster_svc_cidr',
    cluster: 'cluster_svc_cidr: 10.51.0.0/16',
    read: (c) => c.cluster.serviceSubnets,
    meant: ['10.51.0.0/16'],
  },
  {
    option: 'proxmox_vm_defaults',
    cluster: 'proxmox_vm_defaults: { sockets: 2 }',
    read: (c) => c.nodes[0]?.vm.sockets,
    meant: 2,
  },
  {
    option: 'proxmox_vm_controller_defaults',
    cluster: 'proxmox_vm_controller_defaults: { disk_size: 64 }',
    read: (c) => (c.nodes[0]?.vm.disk ?? 0) / 1024 ** 3,
    meant: 64,
  },
  {
    option: 'proxmox_vm_worker_defaults',
    cluster: 'proxmox_vm_worker_defaults: { memory: 4096 }',
    read: (c) => (c.nodes[1]?.vm.memory ?? 0) / 1024 ** 3,
    meant: 4,
  },
  ...(
    [
      ['bios', 'seabios', (c) => c.nodes[0]?.vm.bios, 'seabios'],
      ['machine', 'i440fx', (c) => c.nodes[0]?.vm.machine, 'pc'],
      ['cpu_type', 'x86-64-v3', (c) => c.nodes[0]?.vm.cpuType, 'x86-64-v3'],
      ['scsi_hw', 'virtio-scsi-single', (c) => c.nodes[0]?.vm.scsiHardware, 'virtio-scsi-single'],
      ['balloon', '1024', (c) => (c.nodes[0]?.vm.balloon ?? 0) / 1024 ** 2, 1024],
      ['numa', 'false', (c) => c.nodes[0]?.vm.numa, false],
      ['qemu_agent', 'false', (c) => c.nodes[0]?.vm.agent, false],
      ['net_queues', '16', (c) => c.nodes[0]?.nics[0]?.queues, 16],
      ['disk_discard', 'false', (c) => c.nodes[0]?.vm.diskOptions.discard, false],
      ['disk_ssd', 'false', (c) => c.nodes[0]?.vm.diskOptions.ssd, false],
      ['tags', '[a, b]', (c) => c.nodes[0]?.vm.tags, ['a', 'b']],
      ['network_bridge', 'vmbr7', (c) => c.nodes[0]?.nics[0]?.bridge, 'vmbr7'],
      ['ostype', 'l24', (c) => c.nodes[0]?.vm.ostype, 'l24'],
      ['disk_backup', 'true', (c) => c.nodes[0]?.vm.diskOptions.backup, true],
      ['disk_replicate', 'true', (c) => c.nodes[0]?.vm.diskOptions.replicate, true],
    ] as readonly [string, string, (config: Config) => unknown, unknown][]
  ).map(([key, value, read, meant]) => ({
    option: `proxmox_vm_advanced.${key}`,
    cluster: `proxmox_vm_advanced: { ${key}: ${value} }`,
    read,
    meant,
  })),
  {
    option: 'mac_addr',
    node: 'mac_addr: bc:24:11:00:00:09',
    read: (c) => c.nodes[0]?.nics[0]?.mac,
    meant: 'BC:24:11:00:00:09',
  },
  { option: 'controller', node: 'controller: false', read: (c) => c.nodes[0]?.role, meant: 'worker' },
  { option: 'vm_id', node: 'vm_id: 777', read: (c) => c.nodes[0]?.vmid, meant: 777 },
  { option: 'vm_cores', node: 'vm_cores: 3', read: (c) => c.nodes[0]?.vm.cores, meant: 3 },
  { option: 'vm_sockets', node: 'vm_sockets: 2', read: (c) => c.nodes[0]?.vm.sockets, meant: 2 },
  {
    option: 'vm_memory',
    node: 'vm_memory: 5000',
    read: (c) => (c.nodes[0]?.vm.memory ?? 0) / 1024 ** 2,
    meant: 5000,
  },
  {
    option: 'vm_disk_size',
    node: 'vm_disk_size: 99',
    read: (c) => (c.nodes[0]?.vm.disk ?? 0) / 1024 ** 3,
    meant: 99,
  },
  {
    option: 'vm_startup_order',
    node: 'vm_startup_order: 100',
    read: (c) => c.nodes[0]?.vm.startup?.order,
    meant: 100,
  },
  {
    option: 'vm_startup_delay',
    node: 'vm_startup_delay: 300',
    read: (c) => c.nodes[0]?.vm.startup?.up,
    meant: 300,
  },
  {
    option: 'vm_shutdown_delay',
    node: 'vm_shutdown_delay: 600',
    read: (c) => c.nodes[0]?.vm.startup?.down,
    meant: 600,
  },
  { option: 'mtu', node: 'mtu: 9000', read: (c) => c.nodes[0]?.nics[0]?.mtu, meant: 9000 },
  {
    option: 'kernel_modules',
    node: 'kernel_modules: [zfs]',
    read: (c) => c.nodes[0]?.patches[0]?.text.includes('name: zfs'),
    meant: true,
  },
];
const DOCS = readFileSync(join(HERE, '../../../docs/coming-from.md'), 'utf8');

describe('options of the template', () => {
  it.each(OPTIONS)('$option', ({ option, cluster = '', node = '', read, meant }) => {
    const role = node.startsWith('controller') ? '' : 'controller: true, ';
    const first = `{ name: one, address: 10.7.0.11, ${role}${node} }`;
    const second = `{ name: two, address: 10.7.0.12, controller: ${node.startsWith('controller')} }`;
    const { config: loaded, diagnostics } = load(`${LEAST}${cluster}\n`, nodes(first, second));
    expect(diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
    expect(loaded && read(loaded)).toEqual(meant);
    expect(DOCS).toContain(option);
  });
});

describe('the template', () => {
  it('leads to its reference VM, line by line', () => {
    const [vm] = qmConfigs(design(config(reference('cluster.yaml'), reference('nodes.yaml'))));
    const ours = new Map(
      (vm?.text ?? '')
        .trim()
        .split('\n')
        .map((line) => [line.split(': ')[0], line]),
    );
    const theirs = readFileSync(join(HERE, '../../export/fixtures/template-2001.conf'), 'utf8')
      .trim()
      .split('\n');
    expect(vm?.vmid).toBe(2001);
    // What docs/coming-from.md lists as different.
    const settled = (line: string) =>
      line
        .replace(/,wwn=0x[0-9a-f]+/, '')
        .replace('oxherd-template;', '')
        .replace(/iso\/[^,]+\.iso/, 'iso/ISO')
        .replace(/,size=308556K$/, '');
    for (const line of theirs.filter((each) => each !== '' && !/^(smbios1|vmgenid|meta|#)/.test(each))) {
      const key = line.split(': ')[0] ?? '';
      expect(settled(ours.get(key) ?? `${key} is missing`)).toBe(settled(line));
    }
  });

  it('is the example of the same name, written differently', () => {
    const folder = join(HERE, '../../../examples/template');
    const readText = (path: string) => readFileSync(join(folder, path), 'utf8');
    const example = loadConfig({ path: 'oxherd.yaml', text: readText('oxherd.yaml'), readText }).config;
    if (!example) throw new Error('the example does not load');
    const ours = config(reference('cluster.yaml'), reference('nodes.yaml'), {
      'schematic.yaml': readText('schematic.yaml'),
    });
    expect(design(ours)).toEqual(design(example));
  });

  it('gives its own defaults by role', () => {
    const [cp, worker] = config(LEAST, nodes(CP, WORKER)).nodes;
    const gib = (size: number | undefined) => (size ?? 0) / 1024 ** 3;
    expect([cp?.vm.cores, cp?.vm.sockets, gib(cp?.vm.memory), gib(cp?.vm.disk)]).toEqual([4, 1, 8, 256]);
    expect([worker?.vm.cores, gib(worker?.vm.memory)]).toEqual([8, 16]);
    expect(cp?.vm).toMatchObject({
      bios: 'ovmf',
      machine: 'q35',
      cpuType: 'host',
      scsiHardware: 'virtio-scsi-pci',
      balloon: 0,
      numa: true,
      agent: true,
      ostype: 'l26',
      tags: ['kubernetes', 'linux', 'talos'],
      diskOptions: { discard: true, ssd: true, backup: false, replicate: false },
    });
    expect(cp?.nics[0]).toMatchObject({ bridge: 'vmbr0', queues: 4 });
  });

  it('merges global, then role, then node; what is said goes over what is not', () => {
    const cluster = `${LEAST}proxmox_vm_defaults: { cores: 6, memory: 4096 }\nproxmox_vm_worker_defaults: { cores: 10 }\n`;
    const own = '{ name: work-2, address: 10.7.0.22, controller: false, vm_cores: 12 }';
    const [cp, worker, second] = config(cluster, nodes(CP, WORKER, own)).nodes;
    expect([cp, worker, second].map((node) => node?.vm.cores)).toEqual([6, 10, 12]);
    expect([cp, worker, second].map((node) => (node?.vm.memory ?? 0) / 1024 ** 2)).toEqual([
      4096, 4096, 4096,
    ]);
  });

  it('starts VMs by their place in the list, from 4 on', () => {
    const own =
      '{ name: z, address: 10.7.0.31, vm_startup_order: 50, vm_startup_delay: 0, vm_shutdown_delay: 600 }';
    const startups = config(LEAST, nodes(CP, WORKER, own)).nodes.map((node) => node.vm.startup);
    expect(startups).toEqual([
      { order: 4, up: 15, down: 60 },
      { order: 5, up: 15, down: 60 },
      { order: 50, up: 0, down: 600 },
    ]);
  });

  it('takes versions from talenv.yaml, and says which it takes otherwise', () => {
    const talenv = { 'talos/talenv.yaml': 'talosVersion: v1.13.2\nkubernetesVersion: v1.35.1\n' };
    expect(config(LEAST, nodes(CP), talenv).talos.version).toMatchObject({ minor: 13, patch: 2 });
    const { diagnostics } = load(LEAST, nodes(CP));
    expect(diagnostics.filter((each) => each.code === 'template.version')).toHaveLength(2);
  });

  it('takes i440fx as Proxmox calls it, and a VLAN tag with or without quotes', () => {
    const loaded = config(`${LEAST}node_vlan_tag: 7\nproxmox_vm_advanced: { machine: i440fx }\n`, nodes(CP));
    expect(loaded.nodes[0]?.vm.machine).toBe('pc');
    expect(loaded.nodes[0]?.nics[0]?.vlan).toBe(7);
  });
});
