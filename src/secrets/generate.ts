/** New secrets for a new cluster. */

import {
  clientValidity,
  issueCertificate,
  newAuthority,
  type RandomBytes,
  validSince,
} from './certificates.js';
import { keyToPem, newRsaKey } from './keys.js';
import { toBase64Pem } from './pem.js';
import type { KeyPair, TalosSecrets } from './talos-secrets.js';

interface GenerateOptions {
  /** The wall's time, not the lab's: certificates begin a little before it. */
  readonly now: Date;
  readonly random: RandomBytes;
  /** 4096 as Talos does; tests may ask for less. */
  readonly rsaBits?: number;
}

export async function generateSecrets({
  now,
  random,
  rsaBits = 4096,
}: GenerateOptions): Promise<TalosSecrets> {
  const authority = (algorithm: 'ed25519' | 'ecdsa-p256', organization?: string): Promise<KeyPair> =>
    newAuthority(
      {
        subject: organization === undefined ? {} : { organizations: [organization] },
        algorithm,
        notBefore: validSince(now),
      },
      random,
    );
  const [serviceAccount, etcd, k8s, k8saggregator, os] = await Promise.all([
    newRsaKey(rsaBits),
    authority('ecdsa-p256', 'etcd'),
    authority('ecdsa-p256', 'kubernetes'),
    // Talos' aggregator CA has an empty subject: its generator ignores the common name of a CA.
    authority('ecdsa-p256'),
    authority('ed25519', 'talos'),
  ]);
  return {
    cluster: { id: base64(random(32)), secret: base64(random(32)) },
    secrets: {
      bootstraptoken: newToken(random),
      secretboxencryptionsecret: base64(random(32)),
    },
    trustdinfo: { token: newToken(random) },
    certs: {
      etcd,
      k8s,
      k8saggregator,
      k8sserviceaccount: { key: toBase64Pem(keyToPem(serviceAccount)) },
      os,
    },
  };
}

const TOKEN_ALPHABET = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** `[a-z0-9]{6}.[a-z0-9]{16}`, every character equally likely. */
export function newToken(random: RandomBytes): string {
  const limit = 256 - (256 % TOKEN_ALPHABET.length);
  let text = '';
  while (text.length < 22) {
    for (const byte of random(32)) {
      if (byte < limit && text.length < 22) text += TOKEN_ALPHABET[byte % TOKEN_ALPHABET.length];
    }
  }
  return `${text.slice(0, 6)}.${text.slice(6)}`;
}

type TalosRole =
  | 'os:admin'
  | 'os:operator'
  | 'os:reader'
  | 'os:etcd:backup'
  | 'os:meta:writer'
  | 'os:impersonator';

/** A client certificate for the Talos API; its organizations are the roles. */
export function issueTalosClient(
  secrets: TalosSecrets,
  options: { readonly now: Date; readonly random: RandomBytes; readonly roles?: readonly TalosRole[] },
): Promise<KeyPair> {
  return issueCertificate(
    secrets.certs.os,
    {
      subject: { organizations: options.roles ?? ['os:admin'] },
      validity: clientValidity(options.now),
      usage: ['client'],
    },
    options.random,
  );
}

/** The admin of the Kubernetes API, as `talosctl kubeconfig` gets it from a control plane. */
export function issueKubernetesAdmin(
  secrets: TalosSecrets,
  options: { readonly now: Date; readonly random: RandomBytes },
): Promise<KeyPair> {
  return issueCertificate(
    secrets.certs.k8s,
    {
      subject: { organizations: ['system:masters'], commonName: 'admin' },
      validity: clientValidity(options.now),
      usage: ['client'],
      keyEncipherment: true,
    },
    options.random,
  );
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64');
}
