/** The template's files: the reference VM, the defaults, and how they are merged. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  CP,
  config,
  LEAST,
  load,
  nodes,
  WORKER,
} from '../../../test/support/config/from-template/template-files.js';
import { design } from '../../design/design-cluster.js';
import { qmConfigs } from '../../export/qm.js';
import { loadConfig } from '../load.js';
import { loadTemplate } from './load.js';

const HERE = dirname(fileURLToPath(import.meta.url));
const reference = (name: string) =>
  readFileSync(join(HERE, '../../../test/fixtures/config/from-template/reference', name), 'utf8');

describe('the template', () => {
  it('leads to its reference VM, line by line', () => {
    const [vm] = qmConfigs(design(config(reference('cluster.yaml'), reference('nodes.yaml'))));
    const ours = new Map(
      (vm?.text ?? '')
        .trim()
        .split('\n')
        .map((line) => [line.split(': ')[0], line]),
    );
    const theirs = readFileSync(join(HERE, '../../../test/fixtures/export/template-2001.conf'), 'utf8')
      .trim()
      .split('\n');
    expect(vm?.vmid).toBe(2001);
    // What docs/coming-from.md lists as different.
    const settled = (line: string) =>
      line
        .replace(/,wwn=0x[0-9a-f]+/, '')
        .replace('oxherd_template;', '')
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

  it('merges global, then role, then node; a global value never shrinks what a role has', () => {
    const cluster = `${LEAST}proxmox_vm_defaults: { cores: 6, memory: 4096 }\nproxmox_vm_worker_defaults: { cores: 10 }\n`;
    const own = '{ name: work-2, address: 10.7.0.22, controller: false, vm_cores: 12 }';
    const [cp, worker, second] = config(cluster, nodes(CP, WORKER, own)).nodes;
    expect([cp, worker, second].map((node) => node?.vm.cores)).toEqual([6, 10, 12]);
    expect([cp, worker, second].map((node) => (node?.vm.memory ?? 0) / 1024 ** 2)).toEqual([
      8192, 16384, 16384,
    ]);
    const told = load(cluster, nodes(CP, WORKER)).diagnostics.filter(
      ({ code }) => code === 'template.role-default',
    );
    expect(told.map(({ hint }) => hint).sort()).toEqual([
      'write `proxmox_vm_controller_defaults: { memory: 4096 }` if you mean it',
      'write `proxmox_vm_worker_defaults: { memory: 4096 }` if you mean it',
    ]);
    const larger = config(`${LEAST}proxmox_vm_defaults: { memory: 32768, cores: 6 }\n`, nodes(CP, WORKER));
    expect(larger.nodes.map(({ vm }) => [vm.memory / 1024 ** 2, vm.cores])).toEqual([
      [32768, 6],
      [32768, 8],
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

it('leaves every other object as it is, whatever a node is called', () => {
  const nodes =
    'nodes:\n  - name: __proto__\n    address: 10.0.0.4\n    controller: true\n    proxmox_node: pve1\n';
  const cluster = 'cluster_name: c\nconstructor: { a: b }\nnode_cidr: 10.0.0.0/24\n';
  loadTemplate({
    cluster: { path: 'c', name: 'c', text: cluster },
    nodes: { path: 'n', name: 'n', text: nodes },
    readText: () => undefined,
  });
  const seen: string[] = [];
  for (const key in {}) seen.push(key);
  expect(seen).toEqual([]);
});
