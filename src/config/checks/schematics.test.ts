import { describe, expect, it } from 'vitest';
import { formatDiagnostic } from '../diagnostics.js';
import { loadConfig } from '../load.js';

const text = (talos: string, node = '') => `
cluster: { name: x, kubernetes: v1.36.0 }
talos: { version: v1.14.1${talos} }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:T" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254 }
nodes:
  n0: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141, agent: false${node} }
`;
const FILES: Readonly<Record<string, string>> = {
  'typo.yaml': 'customization:\n  systemExtension: { officialExtensions: [siderolabs/qemu-guest-agent] }\n',
};
const load = (yaml: string) =>
  loadConfig({ path: 'oxherd.yaml', text: yaml, readText: (path) => FILES[path] });
const codes = (yaml: string) => load(yaml).diagnostics.map(({ code }) => code);

describe('a schematic', () => {
  it.each([
    ['an unknown key', text(', schematic: { customisation: {} }'), /field customisation not found/],
    ['an unknown key in a file', text(', schematic: typo.yaml'), /field systemExtension not found/],
    ['an unknown boot loader', text(', schematic: { customization: { bootloader: lilo } }'), /lilo/],
    ['a text for a list', text(', schematic: { customization: { extraKernelArgs: quiet } }'), /\[\]string/],
    ['a key of one node', text('', ', schematic: { extensions: [] }'), /nodes\.n0\.schematic.*extensions/],
  ])('with %s is a problem of the config', (_, yaml, message) => {
    const { config, diagnostics } = load(yaml);
    expect(config).toBeUndefined();
    const said = diagnostics.filter(({ code }) => code === 'talos.schematic');
    expect(said).toHaveLength(1);
    expect(said.map((one) => formatDiagnostic(one)).join('\n')).toMatch(message);
  });

  it('has each of its mistakes named', () => {
    expect(
      codes(text(', schematic: { one: 1, two: 2 }')).filter((code) => code === 'talos.schematic'),
    ).toHaveLength(2);
  });

  it('of the factory is accepted', () => {
    const good =
      '{ overlay: { name: rpi, image: a/b, options: { x: 1 } }, customization: { bootloader: grub } }';
    expect(codes(text(`, schematic: ${good}`))).not.toContain('talos.schematic');
  });
});
