import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterDescription } from '../feed.js';

/** Nodes are reached through the lab: their addresses exist nowhere else. */
export function writeEgress(pki: string, port: number): void {
  const tlsConfig = {
    caBundle: join(pki, 'ca.crt'),
    clientCert: join(pki, 'kubelet-client.crt'),
    clientKey: join(pki, 'kubelet-client.key'),
  };
  const tcp = { url: `https://127.0.0.1:${port}`, tlsConfig };
  const connection = { proxyProtocol: 'HTTPConnect', transport: { tcp } };
  const content = {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [{ name: 'cluster', connection }],
  };
  writeFileSync(join(pki, 'egress.json'), JSON.stringify(content));
}

export function etcdFlags(folder: string, pki: string, client: number, peer: number): string[] {
  const peers = `https://127.0.0.1:${peer}`;
  return flags({
    name: 'lab',
    'data-dir': join(folder, 'etcd'),
    'listen-client-urls': `https://127.0.0.1:${client}`,
    'advertise-client-urls': `https://127.0.0.1:${client}`,
    'listen-peer-urls': peers,
    'initial-advertise-peer-urls': peers,
    'initial-cluster': `lab=${peers}`,
    'cert-file': join(pki, 'etcd-server.crt'),
    'key-file': join(pki, 'etcd-server.key'),
    'trusted-ca-file': join(pki, 'etcd-ca.crt'),
    'client-cert-auth': 'true',
    'peer-cert-file': join(pki, 'etcd-peer.crt'),
    'peer-key-file': join(pki, 'etcd-peer.key'),
    'peer-trusted-ca-file': join(pki, 'etcd-ca.crt'),
    // A lab's data need not outlive a power cut, only its process.
    'unsafe-no-fsync': 'true',
    'log-level': 'warn',
  });
}

export function apiServerFlags(
  pki: string,
  etcd: number,
  port: number,
  {
    description,
    addresses,
  }: { readonly description: ClusterDescription; readonly addresses: readonly string[] },
): string[] {
  return flags({
    'etcd-servers': `https://127.0.0.1:${etcd}`,
    'etcd-cafile': join(pki, 'etcd-ca.crt'),
    'etcd-certfile': join(pki, 'etcd-client.crt'),
    'etcd-keyfile': join(pki, 'etcd-client.key'),
    'bind-address': '127.0.0.1',
    'secure-port': String(port),
    'advertise-address': addresses[0] ?? '127.0.0.1',
    'tls-cert-file': join(pki, 'serving.crt'),
    'tls-private-key-file': join(pki, 'serving.key'),
    'client-ca-file': join(pki, 'ca.crt'),
    'egress-selector-config-file': join(pki, 'egress.json'),
    'kubelet-client-certificate': join(pki, 'kubelet-client.crt'),
    'kubelet-client-key': join(pki, 'kubelet-client.key'),
    'kubelet-preferred-address-types': 'InternalIP,Hostname',
    'service-account-issuer': description.endpoint ?? 'https://kubernetes.default.svc',
    'service-account-key-file': join(pki, 'service-account.key'),
    'service-account-signing-key-file': join(pki, 'service-account.key'),
    'service-cluster-ip-range': description.serviceSubnets?.join(',') ?? '10.96.0.0/12',
    // As Talos starts it.
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'allow-privileged': 'true',
    profiling: 'false',
    'cert-dir': pki,
  });
}

/** As Talos starts it, but for what a lab of one process needs not: another leader, a port, pod subnets. */
export function controllerManagerFlags(
  pki: string,
  kubeconfig: string,
  { serviceSubnets }: ClusterDescription,
  speed: number,
): string[] {
  // A kubelet of the lab is heard every 10 s of lab time; the rest is for a machine that is busy.
  const grace = Math.max(LEAST_GRACE, 40 / speed);
  return flags({
    ...inCluster(kubeconfig),
    controllers: '*,tokencleaner',
    'use-service-account-credentials': 'true',
    'service-account-private-key-file': join(pki, 'service-account.key'),
    'root-ca-file': join(pki, 'ca.crt'),
    'cluster-signing-cert-file': join(pki, 'ca.crt'),
    'cluster-signing-key-file': join(pki, 'ca.key'),
    'service-cluster-ip-range': serviceSubnets?.join(',') ?? '10.96.0.0/12',
    'allocate-node-cidrs': 'false',
    'configure-cloud-routes': 'false',
    'node-monitor-grace-period': `${grace}s`,
    'node-monitor-period': `${grace / 8}s`,
  });
}

export function schedulerFlags(kubeconfig: string): string[] {
  return flags(inCluster(kubeconfig));
}

/** Seconds of wall time. */
const LEAST_GRACE = 8;

function inCluster(kubeconfig: string): Record<string, string> {
  return {
    kubeconfig,
    'authentication-kubeconfig': kubeconfig,
    'authorization-kubeconfig': kubeconfig,
    'leader-elect': 'false',
    'secure-port': '0',
    profiling: 'false',
  };
}

function flags(values: Record<string, string>): string[] {
  return Object.entries(values).map(([name, value]) => `--${name}=${value}`);
}
