/** X.509 certificates with the profile of Talos' own generator (github.com/siderolabs/crypto v0.6.5). */

import 'reflect-metadata';
import { createPublicKey, type KeyObject } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  type JsonNameParams,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { algorithmOf, type KeyAlgorithm, keyFromPem, keyToPem, newKey, toSigningKey } from './keys.js';
import { encodePem, fromBase64Pem, toBase64Pem } from './pem.js';
import type { KeyPair } from './talos-secrets.js';

/** Bytes from a good source: `node:crypto` in the product, a seeded one in tests. */
export type RandomBytes = (length: number) => Uint8Array;

interface Subject {
  readonly organizations?: readonly string[];
  readonly commonName?: string;
}

const HOUR_MS = 3_600_000;
export const CA_VALIDITY_MS = 87_600 * HOUR_MS;
export const CLIENT_VALIDITY_MS = 365 * 24 * HOUR_MS;

interface Validity {
  readonly notBefore: Date;
  readonly notAfter: Date;
}

export async function newAuthority(
  options: {
    readonly subject: Subject;
    readonly algorithm: KeyAlgorithm;
    readonly notBefore: Date;
  },
  random: RandomBytes,
): Promise<KeyPair> {
  const key = await newKey(options.algorithm);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(random),
    subject: nameOf(options.subject),
    issuer: nameOf(options.subject),
    notBefore: wholeSeconds(options.notBefore),
    notAfter: wholeSeconds(new Date(options.notBefore.getTime() + CA_VALIDITY_MS)),
    publicKey: publicKeyOf(key),
    signingKey: await toSigningKey(key),
    signingAlgorithm: signatureOf(key),
    extensions: [
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth, ExtendedKeyUsage.clientAuth]),
      new BasicConstraintsExtension(true, undefined, true),
      // Random, not a hash of the key: so does siderolabs/crypto.
      new SubjectKeyIdentifierExtension(hex(random(20))),
    ],
  });
  return pairOf(certificate, key);
}

export interface CertificateRequest {
  readonly subject: Subject;
  readonly validity: Validity;
  /** Which TLS side it may stand on; the Talos API demands exactly `client` of its callers. */
  readonly usage: readonly ('server' | 'client')[];
  readonly keyEncipherment?: boolean;
  readonly dnsNames?: readonly string[];
  readonly addresses?: readonly string[];
}

/** A certificate for a new key of the authority's own kind. */
export async function issueCertificate(
  authority: KeyPair,
  request: CertificateRequest,
  random: RandomBytes,
): Promise<KeyPair> {
  const issuer = new X509Certificate(fromBase64Pem(authority.crt));
  const issuerKey = keyFromPem(fromBase64Pem(authority.key));
  const key = await newKey(algorithmOf(issuerKey));
  const flags =
    KeyUsageFlags.digitalSignature | (request.keyEncipherment ? KeyUsageFlags.keyEncipherment : 0);
  const extensions: Extension[] = [new KeyUsagesExtension(flags, true)];
  if (request.usage.length > 0) {
    const usages = { server: ExtendedKeyUsage.serverAuth, client: ExtendedKeyUsage.clientAuth };
    extensions.push(new ExtendedKeyUsageExtension(request.usage.map((side) => usages[side])));
  }
  const keyId = issuer.getExtension(SubjectKeyIdentifierExtension)?.keyId;
  if (keyId) extensions.push(new AuthorityKeyIdentifierExtension(keyId));
  const names = [
    ...(request.dnsNames ?? []).map((value) => ({ type: 'dns', value }) as const),
    ...(request.addresses ?? []).map((value) => ({ type: 'ip', value }) as const),
  ];
  if (names.length > 0) extensions.push(new SubjectAlternativeNameExtension(names));
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(random),
    subject: nameOf(request.subject),
    issuer: issuer.subjectName,
    notBefore: wholeSeconds(request.validity.notBefore),
    notAfter: wholeSeconds(request.validity.notAfter),
    publicKey: publicKeyOf(key),
    signingKey: await toSigningKey(issuerKey),
    signingAlgorithm: signatureOf(issuerKey),
    extensions,
  });
  return pairOf(certificate, key);
}

function pairOf(certificate: X509Certificate, key: KeyObject): KeyPair {
  return {
    crt: toBase64Pem(encodePem({ label: 'CERTIFICATE', der: new Uint8Array(certificate.rawData) })),
    key: toBase64Pem(keyToPem(key)),
  };
}

/** As Go orders a name: organizations first, the common name last; all PrintableString. */
function nameOf({ organizations = [], commonName }: Subject): Name {
  const name: JsonNameParams = organizations.map((value) => ({ O: [{ printableString: value }] }));
  if (commonName !== undefined) name.push({ CN: [{ printableString: commonName }] });
  return new Name(name);
}

function publicKeyOf(key: KeyObject): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createPublicKey(key).export({ type: 'spki', format: 'der' }));
}

function signatureOf(key: KeyObject): { name: string; hash?: string } {
  return algorithmOf(key) === 'ed25519' ? { name: 'Ed25519' } : { name: 'ECDSA', hash: 'SHA-256' };
}

/** 128 random bits, never negative: DER integers are signed. */
function serialNumber(random: RandomBytes): string {
  const digits = hex(random(16)).replace(/^(00)+(?=.)/, '');
  return Number.parseInt(digits.slice(0, 2), 16) >= 0x80 ? `00${digits}` : digits;
}

function wholeSeconds(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
