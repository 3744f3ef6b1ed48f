import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { config, gib, nodeConfig, vmid, vmOptions } from '../../test/support/design/config.js';
import type { Config, HostConfig, NodeConfig } from '../config/config.js';
import { OxherdError } from '../model/error.js';
import { placeNodes } from './placement.js';

const host = (name: string, overrides: Partial<HostConfig> = {}): HostConfig => ({
  name,
  storages: {},
  reservations: [],
  ...overrides,
});

const auto = (id: number, role: NodeConfig['role'], overrides: Partial<NodeConfig> = {}): NodeConfig =>
  nodeConfig(`n${id}`, id, role, { host: 'auto', ...overrides });

const hosts = [host('pve1'), host('pve2'), host('pve3')];

function placed(nodes: readonly NodeConfig[], on: readonly HostConfig[] = hosts, observed = new Map()) {
  return Object.fromEntries(placeNodes(config({ nodes, hosts: on }), observed));
}

describe('placement', () => {
  it('takes the host that oxherd.yaml names', () => {
    expect(placed([nodeConfig('a', 101, 'worker', { host: 'elsewhere' })])).toEqual({ 101: 'elsewhere' });
  });

  it('spreads control planes, then balances workers by memory', () => {
    const small = vmOptions({ memory: gib(2) });
    const big = vmOptions({ memory: gib(16) });
    expect(
      placed([
        auto(101, 'controlplane', { vm: big }),
        auto(102, 'controlplane', { vm: small }),
        auto(103, 'controlplane', { vm: small }),
        auto(201, 'worker', { vm: small }),
        auto(202, 'worker', { vm: small }),
        auto(203, 'worker', { vm: small }),
      ]),
    ).toEqual({ 101: 'pve1', 102: 'pve2', 103: 'pve3', 201: 'pve2', 202: 'pve3', 203: 'pve2' });
  });

  it('fills hosts by their size, reservations taken off', () => {
    const reservations = [{ name: 'nas', cpus: 6, memory: gib(32) }];
    const sized = [host('big', { memory: gib(64), reservations }), host('small', { memory: gib(16) })];
    const nodes = [201, 202, 203].map((id) => auto(id, 'worker', { vm: vmOptions({ memory: gib(8) }) }));
    expect(placed(nodes, sized)).toEqual({ 201: 'big', 202: 'small', 203: 'big' });
  });

  it('balances by what the hosts really have, and takes none that is down', () => {
    const nodes = [201, 202].map((id) => auto(id, 'worker', { vm: vmOptions({ memory: gib(8) }) }));
    const memory = new Map([
      ['pve1', 0],
      ['pve2', gib(12)],
      ['pve3', gib(64)],
    ]);
    const found = placeNodes(config({ nodes, hosts }), new Map(), memory);
    expect([...found.values()]).toEqual(['pve3', 'pve3']);
  });

  it('leaves room for the nodes of a host that fails', () => {
    const sized = [
      host('a', { memory: gib(18) }),
      host('b', { memory: gib(18) }),
      host('c', { memory: gib(18) }),
    ];
    const nodes = [16, 4, 4, 4].map((memory, index) =>
      auto(201 + index, 'worker', { vm: vmOptions({ memory: gib(memory) }) }),
    );
    const found = placeNodes(config({ nodes, hosts: sized }));
    const on = new Set([202, 203, 204].map((id) => found.get(vmid(id))));
    // One host stays empty enough for the 16 GiB.
    expect([...on].filter((name) => name !== found.get(vmid(201)))).toHaveLength(1);
  });

  it('goes on where a creation that was cut off has left the data VM', () => {
    const observed = new Map([[vmid(2010), 'pve3']]);
    expect(placed([auto(201, 'worker')], hosts, observed)).toEqual({ 201: 'pve3' });
  });

  it('chooses a host with enough memory before a host without its kind', () => {
    const sized = [host('a', { memory: gib(64) }), host('b', { memory: gib(2) })];
    expect(placed([auto(101, 'controlplane'), auto(102, 'controlplane')], sized)).toEqual({
      101: 'a',
      102: 'a',
    });
  });

  it('keeps to the choices of the node', () => {
    expect(placed([auto(101, 'worker', { hostChoices: ['pve3', 'pve2'] })])).toEqual({ 101: 'pve2' });
  });

  it('says what to do where there is no host', () => {
    expect(() => placed([auto(101, 'worker')], [])).toThrow(OxherdError);
  });

  it('does not move what is there already', () => {
    const nodes = [auto(101, 'worker'), auto(102, 'worker')];
    const observed = new Map([
      [vmid(101), 'pve3'],
      [vmid(102), 'pve3'],
    ]);
    expect(placed(nodes, hosts, observed)).toEqual({ 101: 'pve3', 102: 'pve3' });
    expect(placed([...nodes, auto(103, 'worker')], hosts, observed)).toEqual({
      101: 'pve3',
      102: 'pve3',
      103: 'pve1',
    });
  });

  it('leaves a host that the node may not be on', () => {
    const node = auto(101, 'worker', { hostChoices: ['pve1'] });
    expect(placed([node], hosts, new Map([[vmid(101), 'pve3']]))).toEqual({ 101: 'pve1' });
  });

  it('is balanced, and the same whatever the order in oxherd.yaml', () => {
    const counts = fc.record({
      controlplanes: fc.integer({ min: 1, max: 7 }),
      workers: fc.integer({ min: 0, max: 20 }),
    });
    fc.assert(
      fc.property(counts, fc.func(fc.integer()), ({ controlplanes, workers }, key) => {
        const nodes = [
          ...Array.from({ length: controlplanes }, (_, index) => auto(100 + index, 'controlplane')),
          ...Array.from({ length: workers }, (_, index) => auto(200 + index, 'worker')),
        ];
        const shuffled: Config['nodes'] = [...nodes].sort((a, b) => key(a.vmid) - key(b.vmid));
        const result = placed(nodes);
        expect(placed(shuffled)).toEqual(result);
        for (const group of [nodes.filter((node) => node.role === 'controlplane'), nodes]) {
          const perHost = hosts.map(({ name }) => group.filter((node) => result[node.vmid] === name).length);
          expect(Math.max(...perHost) - Math.min(...perHost)).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});
