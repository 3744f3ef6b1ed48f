import { describe, expect, it } from 'vitest';
import { config, gib, nodeConfig, vmOptions } from '../../../test/support/design/config.js';
import type { NodeConfig } from '../../config/config.js';
import { balanceMoves } from './balance.js';
import { hostMemory } from './host-memory.js';

const hosts = ['pve1', 'pve2', 'pve3'].map((name) => ({ name, storages: {}, reservations: [] }));
const worker = (id: number, memory = 8, overrides: Partial<NodeConfig> = {}) =>
  nodeConfig(`n${id}`, id, 'worker', { host: 'auto', vm: vmOptions({ memory: gib(memory) }), ...overrides });
const room = (...sizes: number[]) => new Map(hosts.map(({ name }, index) => [name, gib(sizes[index] ?? 0)]));

describe('balancing', () => {
  it('evens out hosts, and then leaves them alone', () => {
    const nodes = [201, 202, 203].map((id) => worker(id));
    const stands = new Map(nodes.map(({ name }) => [name, 'pve1']));
    const wanted = config({ nodes, hosts });
    const moves = balanceMoves(wanted, room(32, 32, 32), stands);
    expect(new Set(moves.map(({ to }) => to))).toEqual(new Set(['pve2', 'pve3']));
    const after = new Map([...stands, ...moves.map(({ node, to }) => [node, to] as const)]);
    expect(balanceMoves(wanted, room(32, 32, 32), after)).toEqual([]);
  });

  it('moves nothing that oxherd.yaml puts somewhere, nor to a host that is down', () => {
    const fixed = [worker(201, 8, { host: 'pve1' }), worker(202, 8, { host: 'pve1' })];
    const stands = new Map(fixed.map(({ name }) => [name, 'pve1']));
    expect(balanceMoves(config({ nodes: fixed, hosts }), room(32, 32, 32), stands)).toEqual([]);
    const free = [worker(201), worker(202)];
    const moves = balanceMoves(config({ nodes: free, hosts }), room(32, 0, 32), stands);
    expect(moves).toMatchObject([{ from: 'pve1', to: 'pve3' }]);
  });

  it('sees to it that any host may fail before it evens out', () => {
    const nodes = [worker(201, 16), worker(202, 4), worker(203, 4)];
    const stands = new Map([
      ['n201', 'pve1'],
      ['n202', 'pve2'],
      ['n203', 'pve3'],
    ]);
    // Without pve1 its 16 GiB fit only where nothing else is.
    const moves = balanceMoves(config({ nodes, hosts }), room(32, 18, 18), stands);
    expect(moves.length).toBeGreaterThan(0);
    const on = new Map([...stands, ...moves.map(({ node, to }) => [node, to] as const)]);
    expect(new Set([...on.values()].filter((host) => host !== 'pve1')).size).toBeLessThan(2);
  });
});

describe('memory that is left for this cluster', () => {
  const guest = (vmid: number, memory: number, status = 'running') => ({
    vmid,
    host: 'pve1',
    status,
    memory: gib(memory),
  });

  it('is what others neither use nor were promised', () => {
    const host = { name: 'pve1', online: true, memory: gib(64), memoryUsed: gib(10) };
    const left = (guests: ReturnType<typeof guest>[], used = 10) =>
      (hostMemory([{ ...host, memoryUsed: gib(used) }], guests, new Set([151])).get('pve1') ?? 0) / gib(1);
    expect(left([guest(900, 16), guest(901, 16, 'stopped'), guest(151, 8)])).toBe(47.5);
    expect(left([guest(151, 8)], 30)).toBe(39.5);
    expect(hostMemory([{ ...host, online: false }], [], new Set()).get('pve1')).toBe(0);
    expect(hostMemory([{ name: 'pve1', online: true }], [], new Set()).size).toBe(0);
  });
});
