/** Private keys with the PEM labels that Talos expects. */

import { createPrivateKey, generateKeyPair, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { decodePem, encodePem } from './pem.js';

export type KeyAlgorithm = 'ed25519' | 'ecdsa-p256';

/** Runs on the thread pool: an RSA-4096 key takes about a second. */
const generate = promisify(generateKeyPair);

export async function newKey(algorithm: KeyAlgorithm): Promise<KeyObject> {
  // The overloads of generateKeyPair do not survive promisify; each call is written out.
  if (algorithm === 'ed25519') return (await generate('ed25519', undefined)).privateKey;
  return (await generate('ec', { namedCurve: 'P-256' })).privateKey;
}

export async function newRsaKey(bits: number): Promise<KeyObject> {
  return (await generate('rsa', { modulusLength: bits })).privateKey;
}

/**
 * `ED25519 PRIVATE KEY` over PKCS#8, `EC PRIVATE KEY` (SEC1), `RSA PRIVATE KEY` (PKCS#1): the labels of
 * github.com/siderolabs/crypto, which reads no others.
 */
export function keyToPem(key: KeyObject): string {
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return encodePem({ label: 'ED25519 PRIVATE KEY', der: key.export({ type: 'pkcs8', format: 'der' }) });
    case 'ec':
      return encodePem({ label: 'EC PRIVATE KEY', der: key.export({ type: 'sec1', format: 'der' }) });
    case 'rsa':
      return encodePem({ label: 'RSA PRIVATE KEY', der: key.export({ type: 'pkcs1', format: 'der' }) });
    default:
      throw new RangeError(`no PEM label for a key of type ${key.asymmetricKeyType}`);
  }
}

export function keyFromPem(pem: string): KeyObject {
  const { label, der } = decodePem(pem);
  // Node and OpenSSL know no `ED25519 PRIVATE KEY`; its body is PKCS#8.
  const type = label === 'EC PRIVATE KEY' ? 'sec1' : label === 'RSA PRIVATE KEY' ? 'pkcs1' : 'pkcs8';
  return createPrivateKey({ key: Buffer.from(der), format: 'der', type });
}

/** Relabelled so that Node's TLS accepts it. */
export function pemForNode(pem: string): string {
  return pem.replaceAll('ED25519 PRIVATE KEY', 'PRIVATE KEY');
}

export function algorithmOf(key: KeyObject): KeyAlgorithm {
  if (key.asymmetricKeyType === 'ed25519') return 'ed25519';
  if (key.asymmetricKeyType === 'ec' && key.asymmetricKeyDetails?.namedCurve === 'prime256v1')
    return 'ecdsa-p256';
  throw new RangeError(
    `certificates are issued with Ed25519 and ECDSA P-256 keys, not ${key.asymmetricKeyType}`,
  );
}
