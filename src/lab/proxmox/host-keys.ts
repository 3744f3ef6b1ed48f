/** Keys of the lab's Proxmox cluster: an authority, one certificate per host, and what tickets are signed with. */
import { createPrivateKey, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { newKey } from '../../secrets/keys.js';
import { encodePem } from '../../secrets/pem.js';
import {
  alternativeNames,
  basicConstraints,
  extendedKeyUsage,
  issuerOf,
  keyUsage,
  nameOf,
  signCertificate,
} from '../../secrets/x509/sign-certificate.js';

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
  const added = await Promise.all(
    missing.map(async (host) => [host, await newHost(host, keys, now)] as const),
  );
  return { ...keys, hosts: { ...keys.hosts, ...Object.fromEntries(added) } };
}

export function readKeys(stored: StoredKeys): PveKeys {
  const hosts = Object.entries(stored.hosts).map(([host, { key, certificate }]) => {
    const fingerprint = new X509Certificate(certificate).fingerprint256;
    return [host, { key, certificate, fingerprint }] as const;
  });
  return { authority: stored.authority, ticketKey: stored.ticketKey, hosts: new Map(hosts) };
}

async function newAuthority(now: Date): Promise<StoredKeys> {
  const key = await newKey('ecdsa-p256');
  const name = nameOf(['CN', 'Proxmox Virtual Environment'], ['O', 'oxherd lab']);
  const extensions = [basicConstraints(true), keyUsage('keyCertSign', 'cRLSign')];
  const fields = { serial: serialNumber(), subject: name, issuer: name, ...validity(now), key, extensions };
  return {
    authority: encodePem({ label: 'CERTIFICATE', der: signCertificate(fields, key) }),
    authorityKey: keyText(key),
    ticketKey: randomBytes(32).toString('hex'),
    hosts: {},
  };
}

async function newHost(
  host: string,
  authority: StoredKeys,
  now: Date,
): Promise<{ key: string; certificate: string }> {
  const key = await newKey('ecdsa-p256');
  const certificate = signCertificate(
    {
      serial: serialNumber(),
      subject: nameOf(['CN', host]),
      issuer: issuerOf(authority.authority).name,
      ...validity(now),
      key,
      extensions: [
        basicConstraints(false),
        extendedKeyUsage(['server']),
        alternativeNames([{ ip: '127.0.0.1' }, { dns: 'localhost' }, { dns: host }]),
      ],
    },
    createPrivateKey(authority.authorityKey),
  );
  return { key: keyText(key), certificate: encodePem({ label: 'CERTIFICATE', der: certificate }) };
}

function validity(now: Date): { notBefore: Date; notAfter: Date } {
  const notBefore = new Date(now.getTime() - 3_600_000);
  const notAfter = new Date(now);
  notAfter.setFullYear(now.getFullYear() + YEARS);
  return { notBefore, notAfter };
}

function serialNumber(): Uint8Array {
  return Buffer.concat([Buffer.from([1]), randomBytes(8)]);
}

function keyText(key: KeyObject): string {
  return encodePem({ label: 'PRIVATE KEY', der: key.export({ type: 'pkcs8', format: 'der' }) });
}
