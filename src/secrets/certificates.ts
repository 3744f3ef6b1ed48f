/** X.509 certificates with the profile of Talos' own generator (github.com/siderolabs/crypto v0.6.5). */

import type { KeyObject } from 'node:crypto';
import { algorithmOf, type KeyAlgorithm, keyFromPem, keyToPem, newKey } from './keys.js';
import { encodePem, fromBase64Pem, toBase64Pem } from './pem.js';
import type { KeyPair } from './talos-secrets.js';
import type { Der } from './x509/der.js';
import {
  alternativeNames,
  authorityKeyId,
  basicConstraints,
  extendedKeyUsage,
  issuerOf,
  keyUsage,
  nameOf,
  signCertificate,
  subjectKeyId,
} from './x509/sign-certificate.js';

/** Bytes from a good source: `node:crypto` in the product, a seeded one in tests. */
export type RandomBytes = (length: number) => Uint8Array;

interface Subject {
  readonly organizations?: readonly string[];
  readonly commonName?: string;
}

const HOUR_MS = 3_600_000;
export const CA_VALIDITY_MS = 87_600 * HOUR_MS;
export const CLIENT_VALIDITY_MS = 365 * 24 * HOUR_MS;
/** Certificates begin five minutes ago: a machine whose clock is a little behind accepts them too. */
const BACKDATED_MS = 300_000;

/** When a certificate that is made now begins. */
export function validSince(now: Date): Date {
  return new Date(now.getTime() - BACKDATED_MS);
}

export function clientValidity(now: Date): Validity {
  const notBefore = validSince(now);
  return { notBefore, notAfter: new Date(notBefore.getTime() + CLIENT_VALIDITY_MS) };
}

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
  const name = subjectName(options.subject);
  const certificate = signCertificate(
    {
      serial: random(16),
      subject: name,
      issuer: name,
      notBefore: wholeSeconds(options.notBefore),
      notAfter: wholeSeconds(new Date(options.notBefore.getTime() + CA_VALIDITY_MS)),
      key,
      extensions: [
        keyUsage('digitalSignature', 'keyCertSign'),
        extendedKeyUsage(['server', 'client']),
        basicConstraints(true),
        // Random, not a hash of the key: so does siderolabs/crypto.
        subjectKeyId(random(20)),
      ],
    },
    key,
  );
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
  const issuer = issuerOf(fromBase64Pem(authority.crt));
  const issuerKey = keyFromPem(fromBase64Pem(authority.key));
  const key = await newKey(algorithmOf(issuerKey));
  const names = [
    ...(request.dnsNames ?? []).map((dns) => ({ dns })),
    ...(request.addresses ?? []).map((ip) => ({ ip })),
  ];
  const extensions = [
    request.keyEncipherment ? keyUsage('digitalSignature', 'keyEncipherment') : keyUsage('digitalSignature'),
    ...(request.usage.length > 0 ? [extendedKeyUsage(request.usage)] : []),
    ...(issuer.keyId ? [authorityKeyId(issuer.keyId)] : []),
    ...(names.length > 0 ? [alternativeNames(names)] : []),
  ];
  const certificate = signCertificate(
    {
      serial: random(16),
      subject: subjectName(request.subject),
      issuer: issuer.name,
      notBefore: wholeSeconds(request.validity.notBefore),
      notAfter: wholeSeconds(request.validity.notAfter),
      key,
      extensions,
    },
    issuerKey,
  );
  return pairOf(certificate, key);
}

function pairOf(certificate: Uint8Array, key: KeyObject): KeyPair {
  return {
    crt: toBase64Pem(encodePem({ label: 'CERTIFICATE', der: certificate })),
    key: toBase64Pem(keyToPem(key)),
  };
}

/** As Go orders a name: organizations first, the common name last. */
function subjectName({ organizations = [], commonName }: Subject): Der {
  const common = commonName === undefined ? [] : [['CN', commonName] as const];
  return nameOf(...organizations.map((value) => ['O', value] as const), ...common);
}

function wholeSeconds(date: Date): Date {
  return new Date(Math.floor(date.getTime() / 1000) * 1000);
}
