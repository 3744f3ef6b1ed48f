/** `networkInterfaces` of talhelper: the first one is the NIC that the node has its address on. */
import { type Cidr, formatCidr, networkOf as networkAround, parseIPv4 } from '../../model/address.js';
import type { Section } from '../foreign/section.js';
import type { Translation } from '../foreign/translation.js';

/** What the nodes together say about their network. */
export interface FoundNetwork {
  subnet?: { readonly text: string; readonly path: Section['path'] };
  gateway?: { readonly value: string; readonly path: Section['path'] };
  vip?: { readonly value: string; readonly path: Section['path'] };
}

const HANDLED = ['interface', 'deviceSelector', 'addresses', 'routes', 'dhcp', 'mtu', 'vip'] as const;

export function translateInterfaces(
  node: Section,
  address: string,
  here: (key: string) => string[],
  to: Translation,
  found: FoundNetwork,
): void {
  const [first, ...others] = node.list('networkInterfaces');
  for (const more of others) {
    for (const key of more.keys) more.has(key);
    more.warn(
      more.path,
      'talconfig.nic',
      'only the first interface is carried over',
      'write further NICs as `nics` of the node, with their bridge',
    );
  }
  if (!first) return;
  to.move(here('mtu'), first.integer('mtu'));
  to.move(here('mac'), first.section('deviceSelector').text('hardwareAddr'));
  first.has('interface', 'dhcp');
  const vip = first.section('vip').text('ip');
  if (vip) found.vip ??= vip;
  for (const text of first.texts('addresses')?.value ?? []) {
    const subnet = subnetOf(text, address);
    if (subnet) found.subnet ??= { text: formatCidr(subnet), path: [...first.path, 'addresses'] };
  }
  for (const route of first.list('routes')) {
    const network = route.text('network');
    const gateway = route.text('gateway');
    route.has('metric', 'mtu', 'source');
    if (gateway && (network === undefined || network.value === '0.0.0.0/0')) found.gateway ??= gateway;
    else if (network) {
      route.warn(
        network.path,
        'talconfig.route',
        'is not carried over',
        'write further routes as a patch of the node',
      );
    }
  }
  for (const key of first.keys) {
    if (HANDLED.some((known) => known === key)) continue;
    first.has(key);
    first.warn(
      [...first.path, key],
      'talconfig.nic',
      'is not carried over',
      'VLANs, bonds and bridges belong to the Proxmox side: `vlan` and `bridge` of the node',
    );
  }
}

/** The network of an address with its prefix, if it is the node's. */
function subnetOf(text: string, address: string): Cidr | undefined {
  const [ip = '', length = ''] = text.split('/');
  if (ip !== address || !/^\d+$/.test(length)) return undefined;
  return networkOf(ip, Number(length));
}

export function networkOf(ip: string, prefix: number): Cidr | undefined {
  const parsed = parseIPv4(ip);
  if (!parsed || prefix < 1 || prefix > 30) return undefined;
  return networkAround(parsed, prefix);
}
