/** Keys of the lab's Proxmox cluster: an authority, one certificate per host, and what tickets are signed with. */
import 'reflect-metadata';
import { createHash, randomBytes, webcrypto } from 'node:crypto';
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { z } from 'zod';

interface HostKeys {
  readonly key: string;
  readonly certificate: string;
  /** SHA-256 of the certificate, `AB:CD:…`. */
  readonly fingerprint: string;
}

export interface PveKeys {
  /** PEM of the authority that signed the hosts' certificates. */
  readonly authority: string;
  readonly hosts: ReadonlyMap<string, HostKeys>;
  readonly ticketKey: string;
}

export interface StoredKeys {
  readonly authority: string;
  readonly authorityKey: string;
  readonly ticketKey: string;
  readonly hosts: Readonly<Record<string, { readonly key: string; readonly certificate: string }>>;
}

export const storedKeys: z.ZodType<StoredKeys> = z.object({
  authority: z.string(),
  authorityKey: z.string(),
  ticketKey: z.string(),
  hosts: z.record(z.string(), z.object({ key: z.string(), certificate: z.string() })),
});

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const YEARS = 10;

/** Adds what is missing for these hosts to the keys of an earlier run. `now` is the wall's time, never the lab's. */
export async function completeKeys(
  hosts: readonly string[],
  earlier: StoredKeys | undefined,
  now: Date,
): Promise<StoredKeys> {
  const keys = earlier ?? (await newAuthority(now));
  const missing = hosts.filter((host) => !keys.hosts[host]);
  if (missing.length === 0) return keys;
  const authority = new X509Certificate(keys.authority);
  const authorityKey = await importKey(keys.authorityKey);
  const added = await Promise.all(
    missing.map(async (host) => [host, await newHost(host, authority, authorityKey, now)] as const),
  );
  return { ...keys, hosts: { ...keys.hosts, ...Object.fromEntries(added) } };
}

export function readKeys(stored: StoredKeys): PveKeys {
  const hosts = Object.entries(stored.hosts).map(([host, { key, certificate }]) => {
    const digest = createHash('sha256')
      .update(Buffer.from(new X509Certificate(certificate).rawData))
      .digest('hex');
    const fingerprint = digest.toUpperCase().replace(/(..)(?!$)/g, '$1:');
    return [host, { key, certificate, fingerprint }] as const;
  });
  return { authority: stored.authority, ticketKey: stored.ticketKey, hosts: new Map(hosts) };
}

async function newAuthority(now: Date): Promise<StoredKeys> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=Proxmox Virtual Environment, O=oxherd lab',
    ...validity(now),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
    ],
  });
  return {
    authority: certificate.toString('pem'),
    authorityKey: await exportKey(keys.privateKey),
    ticketKey: randomBytes(32).toString('hex'),
    hosts: {},
  };
}

async function newHost(
  host: string,
  authority: X509Certificate,
  authorityKey: webcrypto.CryptoKey,
  now: Date,
): Promise<{ key: string; certificate: string }> {
  const keys = await webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: `CN=${host}`,
    issuer: authority.subject,
    ...validity(now),
    publicKey: keys.publicKey,
    signingKey: authorityKey,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new BasicConstraintsExtension(false),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension([
        { type: 'ip', value: '127.0.0.1' },
        { type: 'dns', value: 'localhost' },
        { type: 'dns', value: host },
      ]),
    ],
  });
  return { key: await exportKey(keys.privateKey), certificate: certificate.toString('pem') };
}

function validity(now: Date): { notBefore: Date; notAfter: Date } {
  const notBefore = new Date(now.getTime() - 3_600_000);
  const notAfter = new Date(now);
  notAfter.setFullYear(now.getFullYear() + YEARS);
  return { notBefore, notAfter };
}

function serialNumber(): string {
  return `01${randomBytes(8).toString('hex')}`;
}

async function exportKey(key: webcrypto.CryptoKey): Promise<string> {
  const bytes = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', key));
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PRIVATE KEY-----\n${lines.join('\n')}\n-----END PRIVATE KEY-----\n`;
}

function importKey(pem: string): Promise<webcrypto.CryptoKey> {
  const bytes = Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
  return webcrypto.subtle.importKey('pkcs8', bytes, ALGORITHM, true, ['sign']);
}
