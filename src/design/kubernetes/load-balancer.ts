/**
 * Addresses of Services of type LoadBalancer, as objects of Cilium: a pool, and who announces it. API versions follow
 * the configured Cilium: pools and BGP are `v2` since 1.18, L2 policies are `v2alpha1` in all.
 */
import type { Config } from '../../config/config.js';
import type { BgpPeer, LoadBalancerConfig } from '../../config/kubernetes-config.js';
import { ownKey } from '../../model/publisher.js';
import { compareVersions, parseVersion } from '../../model/version.js';
import type { KubeObject } from './managed-object.js';

/** Name of each of them: one pool, one policy. */
const LOAD_BALANCER = 'oxherd';
export const POOL_KIND = 'CiliumLoadBalancerIPPool';
/** What announces the pool; the pool comes before them and goes after them. */
export const ANNOUNCING_KINDS = [
  'CiliumL2AnnouncementPolicy',
  'CiliumBGPClusterConfig',
  'CiliumBGPPeerConfig',
  'CiliumBGPAdvertisement',
] as const;
/** The newest first. */
export const CILIUM_VERSIONS = ['cilium.io/v2', 'cilium.io/v2alpha1'] as const;

const ADVERTISE = { [ownKey('advertise')]: 'load-balancer' };

export function loadBalancerObjects(config: Config): KubeObject[] {
  const { loadBalancer, cilium } = config.kubernetes;
  if (!loadBalancer || !cilium) return [];
  const version = parseVersion(cilium.version);
  const stable = parseVersion('v1.18.0');
  const isStable = !version || !stable || compareVersions(version, stable) >= 0;
  const apiVersion = isStable ? CILIUM_VERSIONS[0] : CILIUM_VERSIONS[1];
  const nodes = announcingNodes(config);
  return [
    pool(loadBalancer, apiVersion),
    ...(loadBalancer.mode === 'l2' ? [l2Policy(nodes)] : bgpObjects(loadBalancer, apiVersion, nodes)),
  ];
}

function object(
  apiVersion: string,
  kind: string,
  spec: object,
  metadata: Partial<KubeObject['metadata']> = {},
): KubeObject {
  return { apiVersion, kind, metadata: { name: LOAD_BALANCER, ...metadata }, spec };
}

function pool({ pool: ranges }: LoadBalancerConfig, apiVersion: string): KubeObject {
  return object(apiVersion, POOL_KIND, {
    blocks: ranges.map(({ first, last }) => ({ start: first, stop: last })),
  });
}

/** Workers; control planes only where there is no worker, as Talos keeps external load balancers away from them. */
function announcingNodes({ nodes }: Config): { readonly nodeSelector?: object } {
  if (!nodes.some(({ role }) => role === 'worker')) return {};
  const matchExpressions = [{ key: 'node-role.kubernetes.io/control-plane', operator: 'DoesNotExist' }];
  return { nodeSelector: { matchExpressions } };
}

function l2Policy(nodes: object): KubeObject {
  return object('cilium.io/v2alpha1', 'CiliumL2AnnouncementPolicy', { ...nodes, loadBalancerIPs: true });
}

/** Peers of the same settings share one CiliumBGPPeerConfig. */
function bgpObjects({ asn, peers }: LoadBalancerConfig, apiVersion: string, nodes: object): KubeObject[] {
  const settings = [...new Map(peers.map((peer) => [peerConfigName(peer), peer]))];
  const advertisement = {
    advertisementType: 'Service',
    service: { addresses: ['LoadBalancerIP'] },
    // Without a selector Cilium announces no Service; this one takes all.
    selector: { matchExpressions: [{ key: ownKey('none'), operator: 'DoesNotExist' }] },
  };
  const instance = {
    name: LOAD_BALANCER,
    localASN: asn,
    peers: peers.map((peer) => ({
      name: `router-${peer.address.replaceAll('.', '-')}`,
      peerASN: peer.asn,
      peerAddress: peer.address,
      peerConfigRef: { name: peerConfigName(peer) },
    })),
  };
  return [
    object(apiVersion, 'CiliumBGPAdvertisement', { advertisements: [advertisement] }, { labels: ADVERTISE }),
    ...settings.map(([name, peer]) =>
      object(apiVersion, 'CiliumBGPPeerConfig', peerSettings(peer), { name }),
    ),
    object(apiVersion, 'CiliumBGPClusterConfig', { ...nodes, bgpInstances: [instance] }),
  ];
}

function peerConfigName({ port, multihop, passwordSecret }: BgpPeer): string {
  return [
    LOAD_BALANCER,
    ...(port === 179 ? [] : [`port-${port}`]),
    ...(multihop === 1 ? [] : [`hops-${multihop}`]),
    ...(passwordSecret === undefined ? [] : [passwordSecret]),
  ].join('-');
}

function peerSettings({ port, multihop, passwordSecret }: BgpPeer): object {
  return {
    ...(passwordSecret !== undefined && { authSecretRef: passwordSecret }),
    ebgpMultihop: multihop,
    // Routers keep the routes while an agent restarts, for instance at an upgrade of Cilium.
    gracefulRestart: { enabled: true },
    transport: { peerPort: port },
    families: [{ afi: 'ipv4', safi: 'unicast', advertisements: { matchLabels: ADVERTISE } }],
  };
}
