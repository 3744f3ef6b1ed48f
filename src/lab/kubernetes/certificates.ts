import { randomBytes } from 'node:crypto';
import { newAuthority } from '../../secrets/certificates.js';
import { fromBase64Pem, toBase64Pem } from '../../secrets/pem.js';
import { issueForLab } from '../certificates.js';

/** PEM texts. */
export interface CertificateAndKey {
  readonly certificate: string;
  readonly key: string;
}

const HOUR = 3_600_000;

/** A new certificate authority, for a cluster whose machines brought none. */
export async function createAuthority(commonName: string): Promise<CertificateAndKey> {
  const notBefore = new Date(Date.now() - HOUR);
  const { crt, key } = await newAuthority(
    { subject: { commonName }, algorithm: 'ecdsa-p256', notBefore },
    randomBytes,
  );
  return { certificate: fromBase64Pem(crt), key: fromBase64Pem(key) };
}

interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  readonly addresses?: readonly string[];
  readonly names?: readonly string[];
  readonly usage: 'server' | 'client' | 'both';
}

/** For an API server, or for a client whose name and groups it carries. */
export async function issue(authority: CertificateAndKey, subject: Subject): Promise<CertificateAndKey> {
  const { commonName, organizations = [], addresses = [], names = [] } = subject;
  const { crt, key } = await issueForLab(
    { crt: toBase64Pem(authority.certificate), key: toBase64Pem(authority.key) },
    {
      subject: { commonName, organizations },
      usage: subject.usage === 'both' ? ['server', 'client'] : [subject.usage],
      addresses,
      dnsNames: names,
    },
  );
  return { certificate: fromBase64Pem(crt), key: fromBase64Pem(key) };
}
