import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AddressRange,
  addToIPv4,
  formatRange,
  ipv4FromNumber,
  ipv4ToNumber,
} from '../../model/address.js';
import { loadConfig } from '../load.js';

interface Site {
  readonly pool: string;
  readonly mode?: string;
  readonly cilium?: string;
  readonly network?: string;
  readonly more?: string;
  readonly vip?: string;
  readonly nodes?: readonly string[];
}

const text = ({ pool, mode = 'l2', cilium = 'cilium: true', network = '', more = '', vip, nodes }: Site) => `
cluster: { name: x, kubernetes: v1.36.0${vip ? `, vip: ${vip}` : ''} }
talos: { version: v1.14.1 }
proxmox: { endpoint: "https://10.20.30.5:8006", cluster: rack, token: "env:T" }
network: { subnet: 10.20.30.0/24, gateway: 10.20.30.254, dns: [10.20.30.253]${network} }
nodes:
${(nodes ?? ['10.20.30.41']).map((ip, i) => `  n${i}: { role: ${i === 0 ? 'controlplane' : 'worker'}, host: pve1, ip: ${ip}, vmid: ${100 + i} }`).join('\n')}
kubernetes:
  ${cilium}
  loadBalancer: { pool: ${pool}, mode: ${mode}${more} }
policy: { outage: allow }
`;

function said(site: Site): string[] {
  const { diagnostics } = loadConfig({ path: 'oxherd.yaml', text: text(site), readText: () => undefined });
  return diagnostics
    .filter(({ code }) => code.startsWith('kubernetes.'))
    .map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
}

const BASE = ipv4ToNumber(ipv4FromNumber(0x0a_14_1e_00) ?? expect.fail());
const ipAt = (offset: number) => ipv4FromNumber(BASE + offset) ?? expect.fail();
const every = ({ first, last }: AddressRange): string[] => {
  const all: string[] = [];
  for (let ip = first; ; ip = addToIPv4(ip, 1) ?? last) {
    all.push(ip);
    if (ip === last) return all;
  }
};

describe('a pool of load balancer addresses', () => {
  it('is refused exactly where one of its addresses is taken or outside the network', () => {
    const offset = fc.integer({ min: 0, max: 300 });
    const sites = fc.record({
      a: offset,
      b: offset,
      vip: fc.integer({ min: 1, max: 252 }),
      nodes: fc.uniqueArray(fc.integer({ min: 1, max: 252 }), { minLength: 1, maxLength: 4 }),
      dhcp: fc.option(fc.tuple(fc.integer({ min: 1, max: 250 }), fc.integer({ min: 0, max: 20 })), {
        nil: undefined,
      }),
    });
    fc.assert(
      fc.property(sites, ({ a, b, vip, nodes, dhcp }) => {
        const pool = { first: ipAt(Math.min(a, b)), last: ipAt(Math.max(a, b)) };
        const range = dhcp && { first: ipAt(dhcp[0]), last: ipAt(dhcp[0] + dhcp[1]) };
        const site = {
          pool: formatRange(pool),
          vip: ipAt(vip),
          nodes: nodes.map(ipAt),
          network: range ? `, dhcpRange: ${formatRange(range)}` : '',
        };
        const taken = new Set<string>([
          ...[0, 5, 253, 254, 255, vip, ...nodes].map(ipAt),
          ...(range ? every(range) : []),
        ]);
        const isBad = every(pool).some(
          (ip) => taken.has(ip) || ipv4ToNumber(ip as typeof pool.first) > BASE + 255,
        );
        const errors = said(site).filter((line) => line.startsWith('error kubernetes.load-balancer-pool'));
        expect(errors.length > 0).toBe(isBad);
      }),
      { numRuns: 60, seed: 23 },
    );
  });

  it.each([
    ['10.20.30.40-10.20.30.45', 'contains 10.20.30.41, the address of `n0`'],
    ['10.20.30.0/28', 'contains 10.20.30.0, the network address of 10.20.30.0/24'],
    ['10.20.31.0/28', 'is in no network of the nodes (10.20.30.0/24), where they could answer ARP'],
    ['[10.20.30.200-10.20.30.210, 10.20.30.210]', 'overlaps 10.20.30.200-10.20.30.210 of the same pool'],
    ['10.244.1.0/28', 'overlaps the network of pods 10.244.0.0/16'],
    ['10.20.30.5', 'contains 10.20.30.5, a Proxmox host'],
  ])('%s: says why', (pool, why) => {
    expect(said({ pool }).join('\n')).toContain(why);
  });

  it('is fine inside, and of BGP outside', () => {
    expect(said({ pool: '10.20.30.200-10.20.30.220' })).toEqual([]);
    const peers = ', peers: [{ address: 10.20.30.254, asn: 64513 }]';
    expect(said({ pool: '192.0.2.0/28', mode: 'bgp', more: peers })).toEqual([]);
    expect(said({ pool: '10.20.30.192/28', mode: 'bgp', more: peers })[0]).toContain('get no answer');
  });

  it.each([
    [{ cilium: 'gatewayApi: false' }, /announced by Cilium, and `kubernetes.cilium` is off/],
    [{ mode: 'bgp' }, /needs the routers/],
    [{ more: ', peers: [{ address: 10.20.30.254, asn: 64513 }]' }, /routers of mode `bgp`/],
    [{ cilium: 'cilium: { l2Announcements: false }' }, /needs the L2 announcements of Cilium/],
    [
      { cilium: 'cilium: { values: { l2announcements: { enabled: false } } }' },
      /`l2announcements` of Cilium on/,
    ],
    [{ cilium: 'cilium: { values: { kubeProxyReplacement: false } }' }, /kube-proxy replacement/],
    [{ cilium: 'cilium: { version: v1.14.4 }' }, /needs Cilium v1\.15\.0 or newer/],
    [{ network: ', firstBoot: dhcp' }, /warning kubernetes.load-balancer-dhcp/],
  ])('needs what announces it: %j', (site, why) => {
    expect(said({ pool: '10.20.30.200', ...site }).join('\n')).toMatch(why);
  });
});
