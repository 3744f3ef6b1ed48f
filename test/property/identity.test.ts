/**
 * Identities depend on nothing that people change for other reasons: adding, removing or renaming one
 * volume or node leaves every other VM and disk what it was.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Config, NodeConfig } from '../../src/config/config.js';
import type { VolumeConfig } from '../../src/config/volume-config.js';
import { design } from '../../src/design/design-cluster.js';
import { parseNet, parsePropertyString } from '../../src/formats/proxmox/property-string.js';
import { config, gib, nic, nodeConfig, vmOptions } from '../support/design/config.js';

/** What makes an object the one it is, by where people know it from. */
function identities(value: Config): ReadonlyMap<string, string> {
  const result = new Map<string, string>();
  for (const node of design(value).nodes) {
    for (const vm of [node.talosVm, ...(node.dataVm ? [node.dataVm] : [])]) {
      const macs = Object.entries(vm.options)
        .filter(([key]) => /^net\d+$/.test(key))
        .map(([key, line]) => `${key}=${parseNet(String(line)).mac}`);
      const { uuid } = parsePropertyString(String(vm.options.smbios1));
      result.set(`vm ${vm.vmid}`, [uuid, ...macs].join(' '));
    }
    for (const drive of node.drives) {
      result.set(
        `disk ${node.talosVm.vmid}/${drive.name}`,
        `${drive.wwn} of ${drive.owner}, kept ${drive.kept}`,
      );
    }
  }
  return result;
}

const name = fc
  .stringMatching(/^[a-z][a-z0-9]{0,7}$/)
  .filter((text) => text !== 'os' && text !== 'ephemeral');
const role = fc.constantFrom('controlplane' as const, 'worker' as const);

const node: fc.Arbitrary<NodeConfig> = fc
  .record({
    name,
    // Three digits, so that no data VM's id is another node's.
    vmid: fc.integer({ min: 100, max: 999 }),
    role,
    host: fc.constantFrom('pve1', 'pve2', 'auto'),
    layout: fc.constantFrom('data-vm' as const, 'data-vm' as const, 'single' as const),
    boot: fc.constantFrom('image' as const, 'iso' as const),
    nics: fc.integer({ min: 1, max: 3 }),
    memory: fc.integer({ min: 2, max: 64 }),
  })
  .map((part) =>
    nodeConfig(part.name, part.vmid, part.role, {
      host: part.host,
      layout: part.layout,
      boot: part.boot,
      nics: Array.from({ length: part.nics }, () => nic),
      vm: vmOptions({ memory: gib(part.memory) }),
    }),
  );

const on = fc.constantFrom('all' as const, 'controlplane' as const, 'worker' as const);
const size = fc.integer({ min: 1, max: 100 }).map(gib);
const filesystem = fc.constant('xfs' as const);
const backup = fc.constantFrom(undefined, true, false);
const volume: fc.Arbitrary<VolumeConfig> = fc.oneof(
  fc.record({ name, on, size, filesystem, backup, type: fc.constant('disk' as const) }),
  fc.record({
    name,
    on,
    size,
    filesystem,
    backup,
    type: fc.constant('partition' as const),
    place: fc.constantFrom('disk' as const, 'ephemeral' as const),
  }),
  fc.record({ name, on, type: fc.constant('directory' as const) }),
);

const distinct = <T>(item: fc.Arbitrary<T>, keys: readonly ((value: T) => unknown)[], minLength: number) =>
  fc
    .array(item, { minLength, maxLength: 7 })
    .map((items) =>
      items.filter((each, index) =>
        keys.every((key) => items.findIndex((other) => key(other) === key(each)) === index),
      ),
    );

const hosts = ['pve1', 'pve2', 'pve3'].map((host) => ({ name: host, storages: {}, reservations: [] }));

const anyConfig: fc.Arbitrary<Config> = fc
  .record({
    nodes: distinct(node, [(each) => each.name, (each) => each.vmid], 1),
    volumes: distinct(volume, [(each) => each.name], 0),
    env: fc.constantFrom('', 'dev'),
  })
  .map(({ nodes, volumes, env }) => {
    const base = config({ nodes, volumes, hosts });
    return { ...base, cluster: { ...base.cluster, env } };
  });

/** The config, and the same with one of its parts picked. */
const withNode = anyConfig.chain((value) => fc.tuple(fc.constant(value), fc.constantFrom(...value.nodes)));
const withVolume = anyConfig
  .filter((value) => value.volumes.length > 0)
  .chain((value) => fc.tuple(fc.constant(value), fc.constantFrom(...value.volumes)));

/** Every object of the smaller config is in the larger one, unchanged. */
function expectContains(larger: Config, smaller: Config): void {
  const all = identities(larger);
  for (const [key, identity] of identities(smaller)) expect([key, all.get(key)]).toEqual([key, identity]);
}

describe('identities of VMs and disks', () => {
  it('stay when a node is added or removed', () => {
    fc.assert(
      fc.property(withNode, ([value, picked]) => {
        expectContains(value, { ...value, nodes: value.nodes.filter((each) => each !== picked) });
      }),
    );
  });

  it('stay when a node is renamed, its own included', () => {
    fc.assert(
      fc.property(withNode, name, ([value, picked], newName) => {
        const nodes = value.nodes.map((each) => (each === picked ? { ...each, name: newName } : each));
        expect(identities({ ...value, nodes })).toEqual(identities(value));
      }),
    );
  });

  it('stay when a volume is added or removed', () => {
    fc.assert(
      fc.property(withVolume, ([value, picked]) => {
        expectContains(value, { ...value, volumes: value.volumes.filter((each) => each !== picked) });
      }),
    );
  });

  const renamed = (value: Config, picked: VolumeConfig, to: VolumeConfig): Config => ({
    ...value,
    volumes: value.volumes.map((each) => (each === picked ? to : each)),
  });

  it('stay when a volume is renamed, but for its own disk, which is a new one', () => {
    fc.assert(
      fc.property(withVolume, name, ([value, picked], newName) => {
        fc.pre(value.volumes.every((each) => each.name !== newName));
        const after = renamed(value, picked, { ...picked, name: newName });
        expectContains(after, { ...value, volumes: value.volumes.filter((each) => each !== picked) });
        const before = new Set(identities(value).values());
        for (const [key, identity] of identities(after)) {
          if (key.endsWith(`/${newName}`)) expect(before.has(identity)).toBe(false);
        }
      }),
    );
  });

  it('stay when a volume is renamed and says what it was, its own disk included', () => {
    fc.assert(
      fc.property(withVolume, name, ([value, picked], newName) => {
        fc.pre(value.volumes.every((each) => each.name !== newName));
        fc.pre(picked.type === 'disk' || picked.type === 'partition');
        const after = renamed(value, picked, { ...picked, name: newName, was: picked.name });
        const disks = (map: ReadonlyMap<string, string>) => [...map.values()].sort();
        expect(disks(identities(after))).toEqual(disks(identities(value)));
      }),
    );
  });

  it('are each one of its kind', () => {
    fc.assert(
      fc.property(anyConfig, (value) => {
        const all = design(value).nodes.flatMap((each) => each.drives.map((drive) => drive.wwn));
        expect(new Set(all).size).toBe(all.length);
        const vms = [...identities(value)].filter(([key]) => key.startsWith('vm '));
        expect(new Set(vms.map(([, identity]) => identity)).size).toBe(vms.length);
      }),
    );
  });

  it('differ between clusters and between environments', () => {
    fc.assert(
      fc.property(anyConfig, fc.constantFrom('qa', 'prod'), (value, env) => {
        const mine = new Set(identities(value).values());
        for (const cluster of [
          { ...value.cluster, env },
          { ...value.cluster, name: 'other' },
        ]) {
          for (const identity of identities({ ...value, cluster }).values())
            expect(mine.has(identity)).toBe(false);
        }
      }),
    );
  });
});

describe('the design', () => {
  it('has the same bytes whatever the order in oxherd.yaml', () => {
    fc.assert(
      fc.property(anyConfig, fc.func(fc.integer()), (value, key) => {
        const shuffled = <T extends { name: string }>(items: readonly T[]): readonly T[] =>
          [...items].sort((a, b) => key(a.name) - key(b.name));
        const reordered = {
          ...value,
          nodes: shuffled(value.nodes),
          volumes: shuffled(value.volumes),
          hosts: shuffled(value.hosts),
        };
        expect(JSON.stringify(design(reordered))).toBe(JSON.stringify(design(value)));
      }),
    );
  });
});
