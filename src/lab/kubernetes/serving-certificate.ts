import { type CertificateAndKey, issue } from './certificates.js';
import type { ClusterDescription } from './feed.js';

const isAddress = (name: string) => /^[\d.]+$|:/.test(name);

/** An API server's certificate for these addresses, and for every name the cluster's API has anyway. */
export function servingCertificate(
  { authority, certificateNames = [] }: ClusterDescription,
  addresses: readonly string[],
): Promise<CertificateAndKey> {
  return issue(authority, {
    commonName: 'kube-apiserver',
    organizations: ['kube-master'],
    addresses: [...new Set([...addresses, '127.0.0.1', '10.96.0.1', ...certificateNames.filter(isAddress)])],
    names: [
      'localhost',
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
      ...certificateNames.filter((name) => !isAddress(name)),
    ],
    usage: 'server',
  });
}
