import { describe, expect, it } from 'vitest';
import { type Mac, parseVmid, type Vmid } from '../../model/identity.js';
import { macOf } from './identities.js';
import { nodeMacs } from './node-macs.js';

const vmid = (number: number): Vmid => {
  const parsed = parseVmid(number);
  if (parsed === undefined) throw new Error(`${number} is no vmid`);
  return parsed;
};
const nodesFrom = (first: number, count: number, macs: readonly (Mac | undefined)[] = [undefined]) =>
  Array.from({ length: count }, (_, index) => ({
    vmid: vmid(first + index),
    nics: macs.map((mac) => ({ mac })),
  }));

describe('the MAC addresses of a cluster', () => {
  const cluster = { name: 'large', env: '' };
  // Among 12,000 of 16 million some are alike in every cluster but one of fifty.
  const nodes = nodesFrom(10_000, 12_000);
  const all = { cluster, nodes };
  const macs = nodes.map((node) => nodeMacs(all, node));

  it('are all different, where those of single nodes would not be', () => {
    const alone = new Set(nodes.map((node) => macOf(cluster, node.vmid)));
    expect(alone.size).toBeLessThan(nodes.length);
    expect(new Set(macs.flat()).size).toBe(nodes.length);
  });

  it('are those that single nodes would have, but for the later one of two that are alike', () => {
    const config = { cluster, nodes: [...nodes].reverse() };
    const changed = nodes.filter((node) => nodeMacs(config, node)[0] !== macOf(cluster, node.vmid));
    const alone = new Set(nodes.map((node) => macOf(cluster, node.vmid)));
    expect(changed).toHaveLength(nodes.length - alone.size);
    // More nodes, with higher ids, change none of them.
    const more = { cluster, nodes: [...nodes, ...nodesFrom(30_000, 500)] };
    expect(nodes.every((node, index) => nodeMacs(more, node)[0] === macs[index]?.[0])).toBe(true);
  });

  it('keep those that were written', () => {
    const written = macOf(cluster, vmid(101));
    const [one, two] = [nodesFrom(200, 1, [written, undefined])[0], nodesFrom(101, 1)[0]];
    if (!one || !two) throw new Error('no nodes');
    const config = { cluster, nodes: [two, one] };
    expect(nodeMacs(config, one)[0]).toBe(written);
    expect(nodeMacs(config, two)[0]).not.toBe(written);
  });
});
