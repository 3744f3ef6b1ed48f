import { z } from 'zod';
import { optional, required } from './key.js';
import { address, addressRange, bridge, cidr, dnsName, ipv4, serverName } from './values.js';

/** The part of a NIC that may stand on every level, down to the node. */
export const nicKeys = {
  bridge: optional(bridge, 'Bridge of the first NIC.', { byDefault: 'vmbr0' }),
  vlan: optional(z.int().min(0).max(4094), 'VLAN tag of the first NIC; 0 is none.', {
    byDefault: 0,
    example: 7,
  }),
  mtu: optional(z.int().min(576).max(65_520), 'MTU of the first NIC.', { example: 9000 }),
  queues: optional(
    z.int().min(1).max(16),
    'Queues of the first NIC (multiqueue). The profile `template` gives 4.',
    { example: 4 },
  ),
  firewall: optional(z.boolean(), "Whether the first NIC passes Proxmox's firewall.", { byDefault: false }),
};

export const networkSchema = z.strictObject({
  subnet: required(cidr, 'Network of the nodes.', { example: '10.20.30.0/24' }),
  gateway: required(ipv4, 'Default gateway.', { example: '10.20.30.254' }),
  dns: optional(z.array(address), "Resolvers. Without any, Talos's own defaults.", {
    byDefault: [],
    example: ['10.20.30.254'],
  }),
  searchDomains: optional(z.array(dnsName), 'Search domains of the resolvers.', { byDefault: [] }),
  ntp: optional(z.array(serverName), "Time servers. Without any, Talos's own default.", { byDefault: [] }),
  firstBoot: optional(
    z.enum(['static', 'dhcp']),
    'How a machine gets its address before it has a config: by a cloud-init drive, or by DHCP. The profile `template` says `dhcp`.',
    { byDefault: 'static' },
  ),
  dhcpRange: optional(
    addressRange,
    'Addresses that a DHCP server hands out in `subnet`: pools of load balancers must lie outside.',
    { example: '10.20.30.100-10.20.30.199' },
  ),
  ...nicKeys,
});
