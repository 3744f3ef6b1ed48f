import { expect, it } from 'vitest';
import type { NetworkInterface } from '../../clients/proxmox/calls/hosts.js';
import { readBridges } from './read-bridges.js';

const iface = (name: string, type: string, more: Partial<NetworkInterface> = {}): NetworkInterface => ({
  iface: name,
  type,
  active: true,
  vlanAware: false,
  ports: [],
  cidr: undefined,
  gateway: undefined,
  ...more,
});

async function mtuOf(bridge: NetworkInterface, others: readonly NetworkInterface[] = []) {
  const client = { bridges: async () => [bridge], network: async () => [bridge, ...others] };
  return (await readBridges(client, 'pve1', 9000))[0]?.mtu;
}

it('a bridge has the MTU of its config, else the smallest of its ports, else the kernel’s', async () => {
  expect(await mtuOf(iface('vmbr0', 'bridge', { mtu: 9000 }))).toBe(9000);
  expect(await mtuOf(iface('vmbr0', 'bridge'))).toBe(1500);
  const two = iface('vmbr0', 'bridge', { ports: ['eno1', 'eno2'] });
  expect(await mtuOf(two, [iface('eno1', 'eth', { mtu: 9000 }), iface('eno2', 'eth', { mtu: 4000 })])).toBe(
    4000,
  );
  expect(await mtuOf(two, [iface('eno1', 'eth', { mtu: 9000 }), iface('eno2', 'eth')])).toBe(1500);
});

it('that of a bond without one in its config, and of a network of SDN, cannot be told', async () => {
  expect(
    await mtuOf(iface('vmbr0', 'bridge', { ports: ['bond0'] }), [iface('bond0', 'bond')]),
  ).toBeUndefined();
  expect(await mtuOf(iface('lan', 'vnet'))).toBeUndefined();
});
