/** What the server says of a new reading, applied by the page, is the new view; what is the same stays the same object. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClusterSummary, ClusterView } from '../api.js';
import { applyChange, changedNodes } from '../web/state/apply-change.js';
import { ViewParts } from './view-parts.js';

const SUMMARY: ClusterSummary = {
  id: '1',
  name: 'herd',
  config: 'x',
  lab: true,
  state: 'current',
  needs: [],
};

type Shape = Readonly<Record<string, Readonly<Record<string, 'ok' | 'failed'>>>>;

/** Hosts with their nodes, each well or not. */
function content(shape: Shape, network: string): Omit<ClusterView, 'revision'> {
  const nodeOf = (name: string, health: 'ok' | 'failed') => ({
    name,
    role: 'worker' as const,
    vmid: 100,
    cpus: 2,
    memory: 4,
    ip: '10.0.0.1',
    networks: [],
    ownDrives: [],
    devices: [],
    health,
  });
  const hosts = Object.entries(shape);
  return {
    summary: SUMMARY,
    picture: {
      cluster: 'herd',
      versions: 'v1',
      network,
      hosts: hosts.map(([name, nodes]) => ({
        name,
        capacity: { name, users: [], storages: [], added: { cpus: 0, memory: 0 }, left: {} },
        reservations: [],
        others: [],
        csiVolumes: [],
        parked: [],
        arrivals: [],
        nodes: Object.entries(nodes).map(([node, health]) => nodeOf(node, health)),
      })),
    },
    nodes: hosts.flatMap(([host, nodes]) =>
      Object.entries(nodes).map(([node, health]) => ({
        node,
        role: 'worker',
        host,
        vmid: 1,
        health,
        notes: [],
      })),
    ),
    hosts: hosts.map(([name]) => ({ name, online: true, nodes: [], others: 0, drained: [] })),
    conditions: [],
    layers: [],
    commands: {},
  };
}

const parse = (text: string): ClusterView => JSON.parse(text);
const partsOf = (view: Omit<ClusterView, 'revision'>) => new ViewParts(view, JSON.stringify);

/** Each node is on one host, and may be on another one the next time. */
const shapes = fc
  .dictionary(
    fc.constantFrom('cp-1', 'work-1', 'work-2', 'work-3'),
    fc.tuple(
      fc.constantFrom('pve1', 'pve2', 'a "quoted" name'),
      fc.constantFrom('ok' as const, 'failed' as const),
    ),
    { noNullPrototype: true },
  )
  .map((nodes): Shape => {
    const hosts: Record<string, Record<string, 'ok' | 'failed'>> = {};
    for (const [node, [host, health]] of Object.entries(nodes))
      hosts[host] = { ...hosts[host], [node]: health };
    return hosts;
  });

describe('parts of a view', () => {
  it('a change applied to the view before is the view after, whatever changed', () => {
    fc.assert(
      fc.property(shapes, shapes, fc.constantFrom('a', 'b'), (one, two, network) => {
        const [before, after] = [partsOf(content(one, 'a')), partsOf(content(two, network))];
        const [shown, wanted] = [parse(before.text()), parse(after.text())];
        const change = JSON.parse(after.since(before));
        expect(change).toMatchObject({ base: shown.revision, revision: wanted.revision });
        expect(applyChange(shown, wanted.summary, change)).toEqual(wanted);
      }),
    );
  });

  it('keeps hosts that are the same, says nothing of them, and names the nodes that changed', () => {
    const before = partsOf(
      content({ pve1: { 'cp-1': 'ok' }, pve2: { 'work-1': 'ok', 'work-2': 'ok' } }, 'a'),
    );
    const after = partsOf(
      content({ pve1: { 'cp-1': 'ok' }, pve2: { 'work-1': 'failed', 'work-2': 'ok' } }, 'a'),
    );
    const text = after.since(before);
    expect(text).not.toContain('pve1');
    const shown = parse(before.text());
    const next = applyChange(shown, SUMMARY, JSON.parse(text));
    expect(next.picture.hosts[0]).toBe(shown.picture.hosts[0]);
    expect([...changedNodes(shown, next)]).toEqual(['work-1']);
  });

  it('with nothing new has the same revision', () => {
    const shape = { pve1: { 'cp-1': 'ok' } } as const;
    expect(partsOf(content(shape, 'a')).revision).toBe(partsOf(content(shape, 'a')).revision);
    expect(partsOf(content(shape, 'b')).revision).not.toBe(partsOf(content(shape, 'a')).revision);
  });
});
