/** A certificate that signs itself, with an RSA key: what sealed-secrets wants. */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { X509CertificateGenerator } from '@peculiar/x509';
import { CA_VALIDITY_MS, type RandomBytes } from './certificates.js';
import { encodePem } from './pem.js';

const RSA = {
  name: 'RSASSA-PKCS1-v1_5',
  modulusLength: 4096,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: 'SHA-256',
} as const;

/** Both as PEM, the key as PKCS#8. */
export async function selfSignedRsa(
  name: string,
  { now, random }: { readonly now: Date; readonly random: RandomBytes },
): Promise<{ certificate: string; key: string }> {
  const keys = await webcrypto.subtle.generateKey(RSA, true, ['sign', 'verify']);
  const serial = random(16);
  serial[0] = (serial[0] ?? 0) & 0x7f;
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: Buffer.from(serial).toString('hex'),
    name,
    notBefore: now,
    notAfter: new Date(now.getTime() + CA_VALIDITY_MS),
    signingAlgorithm: RSA,
    keys,
  });
  const pkcs8 = await webcrypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certificate: encodePem({ label: 'CERTIFICATE', der: new Uint8Array(certificate.rawData) }),
    key: encodePem({ label: 'PRIVATE KEY', der: new Uint8Array(pkcs8) }),
  };
}
