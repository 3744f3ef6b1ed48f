/** What is converted loads to the same config, whatever was in it. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTfvars } from '../from-tfvars/load.js';
import { loadConfig } from '../load.js';
import { hoistDefaults } from './hoist-defaults.js';
import { movePaths } from './move-paths.js';
import { writeCommentedYaml } from './write-yaml.js';

const SCHEMATIC =
  'customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } }\n';
const readText = (path: string) => (path.endsWith('schematic.yaml') ? SCHEMATIC : undefined);

interface Machine {
  readonly worker: boolean;
  readonly cpu: number;
  readonly ram: number;
  readonly disk?: number | undefined;
  readonly datastore?: string | undefined;
  readonly dns?: readonly string[] | undefined;
  readonly vlan?: number | undefined;
}

function tfvars(machines: readonly Machine[], manifest: string): string {
  const nodes = machines.map(
    (machine, i) => `  node-${i} = {
    cpu           = ${machine.cpu}
    host_node     = "pve${i % 3}"
    ip            = "10.0.0.${10 + i}"
    machine_type  = "${machine.worker ? 'worker' : 'controlplane'}"
    ram_dedicated = ${machine.ram}
    vm_id         = ${200 + i}
    ${machine.disk === undefined ? '' : `disk_size = ${machine.disk}`}
    ${machine.datastore === undefined ? '' : `datastore = "${machine.datastore}"`}
    ${machine.dns === undefined ? '' : `dns = ${JSON.stringify(machine.dns)}`}
    ${machine.vlan === undefined ? '' : `vlan_id = ${machine.vlan}`}
  }`,
  );
  return `cluster = {
  gateway = "10.0.0.1", gateway_api_version = "v1.6.3", kubernetes_version = "v1.36.0", name = "x"
  proxmox_cluster = "rack", vip = "10.0.0.2", kubelet = ${JSON.stringify(manifest)}
}
image = { schematic_path = "schematic.yaml", version = "v1.14.1" }
proxmox = { cluster_name = "rack", endpoint = "https://pve:8006", insecure = true }
nodes = {
${nodes.join('\n')}
}
volumes = { foo = { node = "pve1", size = "100M" }, bar = { size = "7GB", type = "disk" } }
`;
}

const machine = fc.record<Machine>({
  worker: fc.boolean(),
  cpu: fc.constantFrom(2, 4),
  ram: fc.constantFrom(4096, 5000, 8192),
  disk: fc.constantFrom(undefined, 20, 30),
  datastore: fc.constantFrom(undefined, 'local-zfs', 'nfs'),
  dns: fc.constantFrom(undefined, ['1.1.1.1'], ['1.1.1.1', '9.9.9.9']),
  vlan: fc.constantFrom(undefined, 0, 7),
});

describe('convert', () => {
  it('keeps the meaning', () => {
    fc.assert(
      fc.property(
        fc.array(machine, { minLength: 1, maxLength: 8 }),
        fc.constantFrom('a: 1', 'a: "x: y # z"\nb: [1, 2]\n', 'extraArgs:\n  v: "yes"\n'),
        (machines, kubelet) => {
          const first: Machine = { ...(machines[0] ?? { cpu: 2, ram: 4096 }), worker: false };
          const text = tfvars([first, ...machines.slice(1)], kubelet);
          const source = loadTfvars({ files: [{ path: 'x.tfvars', name: 'x.tfvars', text }], readText });
          expect(source.diagnostics.filter((each) => each.severity === 'error')).toEqual([]);
          const written = writeCommentedYaml({
            raw: hoistDefaults(source.raw ?? {}),
            header: ['Header.'],
            wasCalled: source.wasCalled ?? new Map(),
          });
          const again = loadConfig({ path: 'oxherd.yaml', text: written, readText });
          expect(again.config).toEqual(source.config);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('says what all nodes of a role share once', () => {
    const node = { role: 'worker', cores: 4, memory: '8GiB', labels: { a: 'b' } };
    expect(
      hoistDefaults({
        nodes: { a: { ...node, ip: 1 }, b: { ...node, ip: 2 }, c: { role: 'controlplane', cores: 4 } },
      }),
    ).toEqual({
      defaults: { worker: { cores: 4, memory: '8GiB' } },
      nodes: {
        a: { role: 'worker', labels: { a: 'b' }, ip: 1 },
        b: { role: 'worker', labels: { a: 'b' }, ip: 2 },
        c: { role: 'controlplane', cores: 4 },
      },
    });
  });

  it('moves paths to files and to secrets, and nothing else', () => {
    const raw = {
      talos: { schematic: 'a.yaml' },
      proxmox: { token: 'tfvars:x.tfvars#proxmox_api_token', ca: 'ca.pem', endpoint: 'https://a:8006' },
      nodes: { a: { schematic: 'b.yaml' }, b: { schematic: { customization: {} } } },
      kubernetes: {
        cilium: { values: 'v.yaml' },
        sealedSecrets: { certificate: 'c', key: 'file:k' },
        csi: true,
      },
    };
    expect(movePaths(raw, (path) => `../${path}`)).toEqual({
      talos: { schematic: '../a.yaml' },
      proxmox: { token: 'tfvars:../x.tfvars#proxmox_api_token', ca: '../ca.pem', endpoint: 'https://a:8006' },
      nodes: { a: { schematic: '../b.yaml' }, b: { schematic: { customization: {} } } },
      kubernetes: {
        cilium: { values: '../v.yaml' },
        sealedSecrets: { certificate: '../c', key: 'file:../k' },
        csi: true,
      },
    });
    expect(movePaths({ proxmox: { token: 'env:A' } }, (path) => `../${path}`)).toEqual({
      proxmox: { token: 'env:A' },
    });
  });
});
