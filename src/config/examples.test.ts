import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readYamlDocuments } from '../formats/text/yaml-text.js';
import { GIB } from '../model/size.js';
import { loadConfig } from './load.js';

const examples = new URL('../../examples/', import.meta.url);

function load(name: string) {
  const folder = new URL(`${name}/`, examples);
  const readText = (path: string): string => readFileSync(new URL(path, folder), 'utf8');
  return loadConfig({ path: 'oxherd.yaml', text: readText('oxherd.yaml'), readText });
}

describe('examples', () => {
  it.each(readdirSync(examples))('%s is valid, without a warning', (name) => {
    const { config, diagnostics } = load(name);
    expect(diagnostics).toEqual([]);
    expect(config).toBeDefined();
  });

  it('gitops names files that are there, in kustomizations and in oxherd.yaml', () => {
    const folder = new URL('gitops/', examples);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    const documents = files
      .filter((name) => name.endsWith('.yaml') && name !== 'oxherd.yaml')
      .flatMap((name) =>
        readYamlDocuments(readFileSync(new URL(name, folder), 'utf8'), {}).map((object) => ({
          name,
          object,
        })),
      );
    const named = documents.flatMap(({ name, object }) => {
      const at = name.slice(0, name.lastIndexOf('/') + 1);
      const { resources, spec } = object as { resources?: string[]; spec?: { path?: string } };
      return [
        ...(resources ?? []).map((each) => `${at}${each}`),
        ...(spec?.path ? [spec.path.replace('./', '')] : []),
      ];
    });
    expect(named.length).toBeGreaterThan(5);
    expect([...named, 'clusters/homelab'].filter((each) => !files.includes(each))).toEqual([]);
    expect(load('gitops').config?.kubernetes.gitops?.source.path).toBe('clusters/homelab');
    for (const { object } of documents)
      expect(object).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) });
  });

  it('template is the reference VM of the cluster template', () => {
    const [node] = load('template').config?.nodes ?? [];
    expect(node).toMatchObject({
      name: 'talos-cplane-001',
      vmid: 2001,
      layout: 'single',
      boot: 'iso',
      nics: [{ bridge: 'vmbr0', mac: 'BC:24:11:62:36:54', vlan: 7, queues: 4, firewall: false }],
      vm: {
        cores: 4,
        sockets: 1,
        cpuType: 'host',
        numa: true,
        memory: 8 * GIB,
        balloon: 0,
        bios: 'ovmf',
        machine: 'q35',
        scsiHardware: 'virtio-scsi-pci',
        ostype: 'l26',
        agent: true,
        onBoot: false,
        tags: ['kubernetes', 'linux', 'talos', 'template'],
        startup: { order: 4, up: 15, down: 60 },
        storage: 'local-zfs',
        disk: 256 * GIB,
        diskOptions: { discard: true, ssd: true, iothread: false, backup: false, replicate: false },
      },
    });
    expect(node?.vm.diskOptions.cache).toBeUndefined();
    expect(load('template').config?.network.firstBoot).toBe('dhcp');
  });

  it('hyperconverged leaves 18 vCPUs and 32 GiB of its host', () => {
    const { nodes = [], hosts = [] } = load('hyperconverged').config ?? {};
    const [host] = hosts;
    const taken = [
      ...nodes.map(({ vm }) => ({ cpus: vm.cores * vm.sockets, memory: vm.memory })),
      ...(host?.reservations ?? []),
    ];
    expect((host?.cpus ?? 0) - taken.reduce((sum, { cpus }) => sum + cpus, 0)).toBe(18);
    expect((host?.memory ?? 0) - taken.reduce((sum, { memory }) => sum + memory, 0)).toBe(32 * GIB);
  });
});
