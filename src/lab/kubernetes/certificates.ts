import 'reflect-metadata';
import { createPrivateKey, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

x509.cryptoProvider.set(webcrypto);

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const YEAR = 365 * 24 * 3600 * 1000;

export interface CertificateAndKey {
  /** PEM. */
  readonly certificate: string;
  readonly key: string;
}

/** Certificate dates are the wall's: real clients check them against it. */
function validity(): { notBefore: Date; notAfter: Date } {
  const now = Date.now();
  return { notBefore: new Date(now - 3600_000), notAfter: new Date(now + YEAR) };
}

/** A new certificate authority, for a cluster whose machines brought none. */
export async function createAuthority(name: string): Promise<CertificateAndKey> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: ALGORITHM,
    ...validity(),
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await keyPem(keys.privateKey) };
}

export interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly addresses?: readonly string[];
  readonly names?: readonly string[];
  readonly usage: 'server' | 'client';
}

/** A certificate by the authority: for an API server, or for a client whose name and groups it carries. */
export async function issue(authority: CertificateAndKey, subject: Subject): Promise<CertificateAndKey> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const issuer = new x509.X509Certificate(authority.certificate);
  const { signingKey, algorithm } = await importKey(authority.key);
  const name = [...(subject.organizations ?? []).map((o) => ({ O: [o] })), { CN: [subject.commonName] }];
  const alternatives: x509.JsonGeneralNames = [
    ...(subject.addresses ?? []).map((value) => ({ type: 'ip' as const, value })),
    ...(subject.names ?? []).map((value) => ({ type: 'dns' as const, value })),
  ];
  const purpose =
    subject.usage === 'server' ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth;
  const certificate = await x509.X509CertificateGenerator.create({
    subject: new x509.Name(name).toString(),
    issuer: issuer.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    ...validity(),
    extensions: [
      new x509.BasicConstraintsExtension(false),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([purpose]),
      ...(alternatives.length > 0 ? [new x509.SubjectAlternativeNameExtension(alternatives)] : []),
    ],
  });
  return { certificate: certificate.toString('pem'), key: await keyPem(keys.privateKey) };
}

async function keyPem(key: webcrypto.CryptoKey): Promise<string> {
  const der = await webcrypto.subtle.exportKey('pkcs8', key);
  return x509.PemConverter.encode(der, 'PRIVATE KEY');
}

/** An authority's key: elliptic, Edwards or RSA, in PKCS #8 or an older form. */
async function importKey(pem: string) {
  const key = createPrivateKey(pem);
  const der = key.export({ type: 'pkcs8', format: 'der' });
  const algorithm = algorithmOf(key.asymmetricKeyType, key.asymmetricKeyDetails?.namedCurve);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign']);
  return { signingKey, algorithm };
}

function algorithmOf(type: string | undefined, curve: string | undefined) {
  switch (type) {
    case 'ed25519':
      return { name: 'Ed25519' };
    case 'rsa':
      return { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' };
    default:
      return curve === 'secp384r1' ? { ...ALGORITHM, namedCurve: 'P-384', hash: 'SHA-384' } : ALGORITHM;
  }
}
