import { describe, expect, it } from 'vitest';
import { config, ip, nodeConfig } from '../../../test/support/design/config.js';
import type { KubernetesConfig, LoadBalancerConfig } from '../../config/kubernetes-config.js';
import { ciliumValues } from './cilium-values.js';
import { loadBalancerObjects } from './load-balancer.js';

const cilium = (version: string): NonNullable<KubernetesConfig['cilium']> => ({
  version,
  cliImage: 'cilium-cli:v1',
  hubble: false,
  gatewayApi: false,
  l2Announcements: true,
});
const pool = [{ first: ip('192.0.2.0'), last: ip('192.0.2.15') }];
const peer = { address: ip('10.0.0.1'), asn: 64_513, port: 179, multihop: 1 };

function designed(version: string, loadBalancer: Partial<LoadBalancerConfig>, workers = 1) {
  const nodes = [
    nodeConfig('cp-1', 101, 'controlplane'),
    ...(workers > 0 ? [nodeConfig('work-1', 111, 'worker')] : []),
  ];
  const whole = config({
    nodes,
    kubernetes: {
      manifests: [],
      cilium: cilium(version),
      loadBalancer: { pool, mode: 'l2', asn: 64_512, peers: [], ...loadBalancer },
    },
  });
  return { whole, objects: loadBalancerObjects(whole) };
}

describe('objects of load balancers', () => {
  it.each([
    ['v1.20.2', 'cilium.io/v2'],
    ['1.18.0', 'cilium.io/v2'],
    ['v1.17.9', 'cilium.io/v2alpha1'],
  ])('are of the API that Cilium %s has', (version, apiVersion) => {
    const kinds = ({ objects }: ReturnType<typeof designed>) => objects.map((o) => [o.kind, o.apiVersion]);
    expect(kinds(designed(version, {}))).toEqual([
      ['CiliumLoadBalancerIPPool', apiVersion],
      ['CiliumL2AnnouncementPolicy', 'cilium.io/v2alpha1'],
    ]);
    expect(kinds(designed(version, { mode: 'bgp', peers: [peer] })).map(([, api]) => api)).toEqual(
      Array(4).fill(apiVersion),
    );
  });

  it('give routers of one kind one setting, and turn BGP on in Cilium', () => {
    const other = { ...peer, address: ip('10.0.0.2') };
    const secret = { ...peer, address: ip('10.0.0.3'), multihop: 3, passwordSecret: 'bgp' };
    const { whole, objects } = designed('v1.20.2', { mode: 'bgp', peers: [peer, other, secret] });
    const named = objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect(named.filter((name) => name.startsWith('CiliumBGPPeerConfig'))).toEqual([
      'CiliumBGPPeerConfig oxherd',
      'CiliumBGPPeerConfig oxherd-hops-3-bgp',
    ]);
    const cluster = objects.find(({ kind }) => kind === 'CiliumBGPClusterConfig');
    expect(cluster?.spec).toMatchObject({
      bgpInstances: [{ localASN: 64_512, peers: [{}, {}, { peerConfigRef: { name: 'oxherd-hops-3-bgp' } }] }],
    });
    expect(ciliumValues(whole, cilium('v1.20.2'))).toMatchObject({ bgpControlPlane: { enabled: true } });
    const l2 = designed('v1.20.2', {});
    expect(ciliumValues(l2.whole, cilium('v1.20.2'))).not.toHaveProperty('bgpControlPlane');
  });

  it('are announced by workers, and by control planes where there are none', () => {
    const policy = (workers: number) => designed('v1.20.2', {}, workers).objects[1]?.spec;
    expect(policy(1)).toMatchObject({ nodeSelector: { matchExpressions: [{ operator: 'DoesNotExist' }] } });
    expect(policy(0)).toEqual({ loadBalancerIPs: true });
  });
});
