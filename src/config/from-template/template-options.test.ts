/** Each option of the template: where its value goes. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { LEAST, load, nodes } from '../../../test/support/config/from-template/template-files.js';
import type { Config } from '../config.js';

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
    option: 'proxmox_disk_storage',
    cluster: 'proxmox_disk_storage: ceph',
    read: (c) => c.nodes[0]?.vm.storage,
    meant: 'ceph',
  },
  {
    option: 'proxmox_iso_storage',
    cluster: 'proxmox_iso_storage: nfs',
    read: (c) => c.proxmox.imageStorage,
    meant: 'nfs',
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
const DOCS = readFileSync(new URL('../../../docs/coming-from.md', import.meta.url), 'utf8');

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
