import { describe, expect, it } from 'vitest';
import { ipv6Type } from '../validation/addresses.js';
import { assertWritable, inFileOrder, typeAsRead } from './interface-file.js';

const bridge = { type: 'bridge', bridge_ports: '' };

describe('the file of interfaces', () => {
  it('has cards, bonds, bridges and what stands on them in this order', () => {
    const file = inFileOrder({
      'bond0.5': { type: 'vlan' },
      vmbr1: bridge,
      vmbr0: { ...bridge, priority: 3 },
      bond0: { type: 'bond' },
      eno1: { type: 'eth' },
    });
    expect(Object.keys(file)).toEqual(['eno1', 'bond0', 'bond0.5', 'vmbr0', 'vmbr1']);
    expect(Object.values(file).map(({ priority }) => priority)).toEqual([3, 4, 5, 6, 7]);
  });

  it.each([
    [{ vmbr1: { type: 'bridge', bridge_ports: 'foo' } }, "bridge 'vmbr1' - unable to find bridge port 'foo'"],
    [{ 'zz.5': { type: 'vlan' } }, "vlan 'zz.5' - unable to find parent 'zz'"],
    [{ vmbr1: bridge, 'vmbr1.5000': { type: 'vlan' } }, "vlan 'vmbr1.5000' - vlan-id 5000 should be <= 4094"],
    [
      { vmbr1: bridge, bond0: { type: 'bond', slaves: 'vmbr1' } },
      "bond 'bond0' - wrong interface type on slave 'vmbr1' ('bridge' != 'eth or bond')",
    ],
    [
      { vmbr1: bridge, 'vmbr1.5': { type: 'vlan', mtu: '9000' } },
      "interface 'vmbr1' - mtu 1500 is lower than 'vmbr1.5' - mtu 9000",
    ],
  ])('is not written with %o', (all, message) => {
    expect(() => assertWritable(all)).toThrow(message);
  });

  it('tells the type by the name', () => {
    expect(typeAsRead('bond3', 'bond', undefined)).toBe('bond');
    expect(typeAsRead('vmbr7', 'bond', undefined)).toBe('unknown');
    expect(typeAsRead('storage', 'vlan', 'vmbr0')).toBe('vlan');
    expect(typeAsRead('enp3s0', 'eth', undefined)).toBe('eth');
  });
});

it('knows what an IPv6 address is for', () => {
  const types = ['::', '::1', 'fe80::1', 'fd00::1', '2001:db8::1', '2a01::1', 'ff02::1', '::ffff:10.0.0.1'];
  expect(types.map(ipv6Type)).toEqual([
    'UNSPECIFIED',
    'LOOPBACK',
    'LINK-LOCAL-UNICAST',
    'UNIQUE-LOCAL-UNICAST',
    'DOCUMENTATION',
    'GLOBAL-UNICAST',
    'MULTICAST',
    'IPV4MAP',
  ]);
});
