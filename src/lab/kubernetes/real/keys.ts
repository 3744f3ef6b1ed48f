import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writePrivate } from '../../state.js';
import { type CertificateAndKey, createAuthority, issue } from '../certificates.js';
import type { ClusterDescription } from '../feed.js';

/** Keys and certificates of etcd and the API server, in files that only their owner reads. */
export async function writeKeys(
  pki: string,
  { authority, serviceAccountKey }: ClusterDescription,
  serving: CertificateAndKey,
): Promise<void> {
  const etcd = await createAuthority('etcd');
  const loopback = { addresses: ['127.0.0.1'], names: ['localhost'] };
  const pairs: Record<string, CertificateAndKey> = {
    serving,
    'etcd-server': await issue(etcd, { commonName: 'etcd', usage: 'both', ...loopback }),
    'etcd-peer': await issue(etcd, { commonName: 'etcd', usage: 'both', ...loopback }),
    'etcd-client': await issue(etcd, { commonName: 'kube-apiserver', usage: 'client' }),
    'kubelet-client': await issue(authority, {
      commonName: 'apiserver-kubelet-client',
      organizations: ['system:masters'],
      usage: 'client',
    }),
  };
  for (const [name, pair] of Object.entries(pairs)) {
    writePrivate(join(pki, `${name}.crt`), pair.certificate);
    writePrivate(join(pki, `${name}.key`), pair.key);
  }
  writeFileSync(join(pki, 'ca.crt'), authority.certificate);
  // The controller manager signs what nodes and people ask for.
  writePrivate(join(pki, 'ca.key'), authority.key);
  writeFileSync(join(pki, 'etcd-ca.crt'), etcd.certificate);
  // A cluster whose config names no key of its own signs tokens with its authority's.
  writePrivate(join(pki, 'service-account.key'), serviceAccountKey ?? authority.key);
}
