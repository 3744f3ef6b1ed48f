/** Addresses of Services of type LoadBalancer, by Cilium. */
import { z } from 'zod';
import { optional, required } from './key.js';
import { addressRange, dnsName, ipv4 } from './values.js';

/** 32 bits; 23456 stands for longer numbers in old routers and is no one's own. */
const asn = z
  .int()
  .min(1)
  .max(4_294_967_294)
  .refine((value) => value !== 23_456, { error: '23456 is reserved' });

export const bgpPeerSchema = z.strictObject({
  address: required(ipv4, 'Address of the router.', { example: '10.20.30.254' }),
  asn: required(asn, 'Autonomous system number of the router.', { example: 64_513 }),
  port: optional(z.int().min(1).max(65_535), 'TCP port of its BGP server.', { byDefault: 179 }),
  multihop: optional(
    z.int().min(1).max(255),
    'Hops to the router, where it is not in the network of the nodes (eBGP).',
    { byDefault: 1 },
  ),
  passwordSecret: optional(
    dnsName,
    'Name of a Secret in `kube-system` whose key `password` is the TCP MD5 password of the session; you create it.',
    { example: 'bgp-password' },
  ),
});

export const loadBalancerSchema = z.strictObject({
  pool: required(
    z.union([addressRange, z.array(addressRange).min(1)]),
    'Addresses to hand out: a range, a network, or a list of them.',
    { example: '10.20.30.200-10.20.30.220' },
  ),
  mode: optional(
    z.enum(['l2', 'bgp']),
    '`l2`: a node answers ARP for each address, which lies in the network of the nodes. `bgp`: the nodes announce the addresses to routers.',
    { byDefault: 'l2' },
  ),
  asn: optional(asn, 'Autonomous system number of the nodes; for `bgp`.', { byDefault: 64_512 }),
  peers: optional(z.array(bgpPeerSchema), 'Routers that the nodes announce to; for `bgp`.', {
    byDefault: [],
  }),
});
