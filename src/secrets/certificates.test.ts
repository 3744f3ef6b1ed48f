import 'reflect-metadata';
import { createPublicKey, X509Certificate as NodeCertificate, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { X509Certificate } from '@peculiar/x509';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { issueCertificate } from './certificates.js';
import { generateSecrets, issueKubernetesAdmin, issueTalosClient, newToken } from './generate.js';
import { keyFromPem } from './keys.js';
import { decodePem, fromBase64Pem } from './pem.js';
import {
  checkTalosSecrets,
  formatTalosSecrets,
  type KeyPair,
  parseTalosSecrets,
  secretsFingerprint,
  type TalosSecrets,
} from './talos-secrets.js';

const fixture = (name: string): string =>
  readFileSync(new URL(`../../test/fixtures/secrets/talos-v1.13/${name}`, import.meta.url), 'utf8');
const random = (length: number): Uint8Array => randomBytes(length);
const now = new Date('2026-11-15T03:07:08.000Z');
/** Certificates begin five minutes before they are made. */
const later = new Date(now.getTime() + 300_000);

/** Every field of a certificate and of its key, except what must differ: keys, serial, identifiers, signature. */
function profile(pair: KeyPair): unknown {
  const certificate = new X509Certificate(fromBase64Pem(pair.crt));
  const key = decodePem(fromBase64Pem(pair.key));
  return {
    certificateLabel: decodePem(fromBase64Pem(pair.crt)).label,
    keyLabel: key.label,
    keyType: keyFromPem(fromBase64Pem(pair.key)).asymmetricKeyType,
    keyDetails: keyFromPem(fromBase64Pem(pair.key)).asymmetricKeyDetails,
    signature: certificate.signatureAlgorithm,
    subject: Buffer.from(certificate.subjectName.toArrayBuffer()).toString('hex'),
    issuer: Buffer.from(certificate.issuerName.toArrayBuffer()).toString('hex'),
    seconds: (certificate.notAfter.getTime() - certificate.notBefore.getTime()) / 1000,
    notBefore: certificate.notBefore.toISOString(),
    serialBytes: certificate.serialNumber.replace(/^00/, '').length <= 32,
    extensions: certificate.extensions.map((extension) => ({
      type: extension.type,
      critical: extension.critical,
      // Key identifiers are random or name a random one: their length is compared.
      value: ['2.5.29.14', '2.5.29.35'].includes(extension.type)
        ? extension.value.byteLength
        : Buffer.from(extension.value).toString('hex'),
    })),
  };
}

describe('certificates like those of talosctl', () => {
  const real = parseTalosSecrets(fixture('secrets.yaml'), 'secrets.yaml');
  let ours: TalosSecrets;
  beforeAll(async () => {
    ours = await generateSecrets({ now: later, random });
  });

  it.each(['etcd', 'k8s', 'k8saggregator', 'os'] as const)(
    '%s: same profile, valid self-signature',
    (name) => {
      expect(profile(ours.certs[name])).toEqual(profile(real.certs[name]));
      const certificate = new NodeCertificate(fromBase64Pem(ours.certs[name].crt));
      expect(certificate.verify(certificate.publicKey)).toBe(true);
      const key = keyFromPem(fromBase64Pem(ours.certs[name].key));
      expect(createPublicKey(key).equals(certificate.publicKey)).toBe(true);
    },
  );

  it('the service account key is PKCS#1 RSA of the same size', () => {
    const pem = (secrets: TalosSecrets): string => fromBase64Pem(secrets.certs.k8sserviceaccount.key);
    expect(decodePem(pem(ours)).label).toBe(decodePem(pem(real)).label);
    expect(keyFromPem(pem(ours)).asymmetricKeyDetails).toEqual(keyFromPem(pem(real)).asymmetricKeyDetails);
  });

  it('the admin client has the profile of the recorded talosconfig', async () => {
    const recorded: { contexts: { demo: KeyPair } } = parse(fixture('talosconfig'));
    const client = await issueTalosClient(ours, { now: later, random });
    expect(profile(client)).toEqual(profile(recorded.contexts.demo));
    const authority = new NodeCertificate(fromBase64Pem(ours.certs.os.crt));
    expect(new NodeCertificate(fromBase64Pem(client.crt)).verify(authority.publicKey)).toBe(true);
  });

  it('issues below a real authority too', async () => {
    const client = await issueTalosClient(real, { now, random });
    const authority = new NodeCertificate(fromBase64Pem(real.certs.os.crt));
    expect(new NodeCertificate(fromBase64Pem(client.crt)).checkIssued(authority)).toBe(true);
  });

  it('the Kubernetes admin is system:masters and begins five minutes ago', async () => {
    const admin = new NodeCertificate(
      fromBase64Pem((await issueKubernetesAdmin(ours, { now: later, random })).crt),
    );
    expect(admin.subject).toBe('O=system:masters\nCN=admin');
    expect(new Date(admin.validFrom).toISOString()).toBe(now.toISOString());
    expect(admin.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
  });

  it('server certificates carry names and addresses', async () => {
    const server = await issueCertificate(
      ours.certs.os,
      {
        subject: { commonName: 'cp-1' },
        validity: { notBefore: now, notAfter: new Date(now.getTime() + 86_400_000) },
        usage: ['server'],
        dnsNames: ['cp-1'],
        addresses: ['10.0.0.1', '127.0.0.1'],
      },
      random,
    );
    const certificate = new NodeCertificate(fromBase64Pem(server.crt));
    expect(certificate.subjectAltName).toBe('DNS:cp-1, IP Address:10.0.0.1, IP Address:127.0.0.1');
  });
});

describe('the secrets file', () => {
  const text = fixture('secrets.yaml');
  const real = parseTalosSecrets(text, 'secrets.yaml');

  it('is written as talosctl writes it', () => {
    expect(formatTalosSecrets(real)).toBe(text);
  });

  it('says which field is wrong and never its value', () => {
    const broken = { ...real, trustdinfo: { token: 'tell-nobody' } };
    expect(() => checkTalosSecrets(broken, 'x.yaml')).toThrow(/trustdinfo\.token/);
    expect(() => checkTalosSecrets(broken, 'x.yaml')).not.toThrow(/tell-nobody/);
    expect(() => parseTalosSecrets('a: [tell-nobody', 'x.yaml')).not.toThrow(/tell-nobody/);
  });

  it('has a fingerprint that follows the cluster, not the tokens', () => {
    const other = { ...real, trustdinfo: { token: 'aaaaaa.bbbbbbbbbbbbbbbb' } };
    expect(secretsFingerprint(other)).toBe(secretsFingerprint(real));
    const stranger = { ...real, cluster: { ...real.cluster, id: real.cluster.secret } };
    expect(secretsFingerprint(stranger)).not.toBe(secretsFingerprint(real));
  });
});

describe('tokens', () => {
  it('have the form of a bootstrap token whatever the bytes are', () => {
    expect(newToken(random)).toMatch(/^[a-z0-9]{6}\.[a-z0-9]{16}$/);
    let calls = 0;
    const skewed = (length: number): Uint8Array => new Uint8Array(length).fill(calls++ === 0 ? 255 : 35);
    expect(newToken(skewed)).toBe('999999.9999999999999999');
  });
});
