import { describe, expect, it } from 'vitest';
import { type FactoryClient, FactoryError } from '../../clients/factory/factory-client.js';
import { loadConfig } from '../../config/load.js';
import { schematicIdOf } from '../../formats/talos/schematic-reader.js';
import { schematicsOf } from './schematics.js';

function configWith(extensions: string) {
  const text = `cluster: { name: a, kubernetes: v1.36.0 }
talos: { version: v1.14.1, schematic: { customization: { systemExtensions: { officialExtensions: [${extensions}] } } } }
proxmox: { endpoint: "https://pve1.lan:8006", cluster: rack, token: "env:TOKEN" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.254] }
nodes:
  cp: { role: controlplane, host: pve1, ip: 10.20.30.41, vmid: 141 }
`;
  const { config, diagnostics } = loadConfig({ path: 'oxherd.yaml', text, readText: () => undefined });
  if (!config) throw new Error(diagnostics.map(({ message }) => message).join('\n'));
  return config;
}

/** A factory that has these extensions, or no list of them. */
function factoryWith(extensions: readonly string[] | undefined) {
  const calls: string[] = [];
  const client: FactoryClient = {
    register: async () => '',
    ensure: async (_, id) => void calls.push(`ensure ${id}`),
    versions: async () => [],
    async missingExtensions(version, wanted) {
      calls.push(`extensions ${version}`);
      if (!extensions) throw new FactoryError('factory.failed', 'no list');
      return wanted.filter((name) => !extensions.includes(name));
    },
    close: async () => {},
  };
  return { client, calls };
}

describe('a schematic', () => {
  const config = configWith('siderolabs/qemu-guest-agent, siderolabs/i195');
  const id = schematicIdOf(config.talos.schematic);

  it('with an extension that this Talos does not have is refused by name', async () => {
    const { client } = factoryWith(['siderolabs/qemu-guest-agent', 'siderolabs/i915']);
    await expect(schematicsOf(config, client).register(id)).rejects.toMatchObject({
      code: 'factory.no-extension',
      message: 'Talos v1.14.1 has no extension siderolabs/i195',
    });
  });

  it('is sent and checked once, however many images need it', async () => {
    const { client, calls } = factoryWith(['siderolabs/qemu-guest-agent', 'siderolabs/i195']);
    const schematics = schematicsOf(config, client);
    await Promise.all([schematics.register(id), schematics.register(id)]);
    expect(calls).toEqual([`ensure ${id}`, 'extensions v1.14.1']);
  });

  it('is not checked where the factory has no list', async () => {
    const { client } = factoryWith(undefined);
    await expect(schematicsOf(config, client).register(id)).resolves.toBeUndefined();
  });
});
