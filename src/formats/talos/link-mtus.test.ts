import { describe, expect, it } from 'vitest';
import { newlyWrittenMtus, withMtus } from './link-mtus.js';

const link = (name: string, more: object = {}) => ({ kind: 'LinkConfig', name, ...more });
const old = (...interfaces: object[]) => ({ version: 'v1alpha1', machine: { network: { interfaces } } });

describe('MTUs that a config begins to name', () => {
  it('are those of links that it described before without one', () => {
    const before = [link('net0'), link('net1', { mtu: 1500 }), old({ interface: 'eth0' })];
    const after = [
      link('net0', { mtu: 9000 }),
      link('net1', { mtu: 9000 }),
      link('net2', { mtu: 9000 }),
      old({ interface: 'eth0', mtu: 9000 }),
    ];
    expect(newlyWrittenMtus(before, after)).toEqual(['net0', 'eth0']);
    expect(newlyWrittenMtus(after, before)).toEqual([]);
  });

  it('are written out, and nothing else is', () => {
    const before = [
      link('net0', { up: true }),
      link('net1'),
      old({ interface: 'eth0' }, { interface: 'eth1' }),
    ];
    const mtus = new Map([
      ['net0', 1500],
      ['eth1', 1400],
    ]);
    expect(withMtus(before, mtus)).toEqual([
      link('net0', { up: true, mtu: 1500 }),
      link('net1'),
      old({ interface: 'eth0' }, { interface: 'eth1', mtu: 1400 }),
    ]);
  });
});
