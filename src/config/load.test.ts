import { describe, expect, it } from 'vitest';
import { GIB } from '../model/size.js';
import { formatDiagnostic } from './diagnostics.js';
import { loadConfig } from './load.js';

const WHOLE = `
cluster: { name: homelab, env: dev, vip: 10.20.30.40, kubernetes: v1.36.0 }
talos:   { version: v1.14.1, schematic: schematic.yaml }
proxmox: { endpoint: https://pve1.lan:8006, cluster: homelab, token: env:OXHERD_PROXMOX_TOKEN }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
defaults:
  controlplane: { cores: 4, memory: 8GiB }
  worker:       { cores: 8, memory: 16GiB, disk: 40GiB }
nodes:
  cp:   { role: controlplane, count: 3, hosts: [pve1, pve2, pve3], ip: 10.20.30.41, vmid: 141 }
  work: { role: worker,       count: 3, hosts: [pve1, pve2, pve3], ip: 10.20.30.51, vmid: 151 }
volumes:
  longhorn: { type: disk, size: 50GiB, on: worker }
`;

const SCHEMATIC =
  'customization:\n  systemExtensions:\n    officialExtensions: [siderolabs/qemu-guest-agent]\n';

function load(text: string, files: Readonly<Record<string, string>> = { 'schematic.yaml': SCHEMATIC }) {
  return loadConfig({ path: 'oxherd.yaml', text, readText: (path) => files[path] });
}

describe('loadConfig', () => {
  it('loads the whole file of a 3+3 cluster', () => {
    const { config, diagnostics } = load(WHOLE);
    expect(diagnostics.map((d) => formatDiagnostic(d))).toEqual([]);
    expect(config?.nodes.map(({ name, host, ip, vmid }) => [name, host, ip, vmid])).toEqual([
      ['cp-1', 'pve1', '10.20.30.41', 141],
      ['cp-2', 'pve2', '10.20.30.42', 142],
      ['cp-3', 'pve3', '10.20.30.43', 143],
      ['work-1', 'pve1', '10.20.30.51', 151],
      ['work-2', 'pve2', '10.20.30.52', 152],
      ['work-3', 'pve3', '10.20.30.53', 153],
    ]);
    const worker = config?.nodes[3];
    expect(worker?.vm).toMatchObject({ cores: 8, memory: 16 * GIB, disk: 40 * GIB, osDisk: 5 * GIB });
    expect(worker?.vm).toMatchObject({ bios: 'seabios', cpuType: 'x86-64-v2-AES', storage: 'local-zfs' });
    expect(worker?.nics).toEqual([{ bridge: 'vmbr0', mac: undefined, firewall: false }]);
    expect(config?.talos.schematic).toEqual({
      customization: { systemExtensions: { officialExtensions: ['siderolabs/qemu-guest-agent'] } },
    });
    expect(config?.volumes).toEqual([
      { name: 'longhorn', type: 'disk', on: 'worker', size: 50 * GIB, filesystem: 'xfs', backup: undefined },
    ]);
  });

  it('stops counting where a file is no config at all', () => {
    const text = Array.from({ length: 20_000 }, (_, i) => `key${i}: 1`).join('\n');
    const { diagnostics } = load(text);
    expect(diagnostics).toHaveLength(201);
    expect(diagnostics.map((d) => d.code)).toContain('config.too-many');
  });

  it('says all problems in one run', () => {
    const text = WHOLE.replace('cores: 4', 'core: 4')
      .replace('memory: 16GiB', 'memory: 16384')
      .replace('schematic.yaml', 'other.yaml');
    const { config, diagnostics } = load(text);
    expect(config).toBeUndefined();
    expect(diagnostics.map((d) => `${d.line}:${d.column} ${d.code}`)).toEqual([
      '3:41 config.file-missing',
      '7:19 config.unknown-key',
      '8:37 config.type',
    ]);
    expect(formatDiagnostic(diagnostics[1] ?? expect.fail())).toBe(
      [
        'oxherd.yaml:7:19 error `defaults.controlplane` has no key `core`',
        '  7 |   controlplane: { core: 4, memory: 8GiB }',
        '    |                   ^',
        '  did you mean `cores`?',
      ].join('\n'),
    );
  });
});
