/** What is written here is read by others: by `node:crypto` (OpenSSL) and by a library for all of X.509. */
import 'reflect-metadata';
import { randomBytes, X509Certificate } from 'node:crypto';
import { X509Certificate as LibraryCertificate } from '@peculiar/x509';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { newKey, newRsaKey } from '../keys.js';
import { encodePem } from '../pem.js';
import { integer, oid, partsOf } from './der.js';
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
} from './sign-certificate.js';

type Key = Awaited<ReturnType<typeof newKey>>;
let keys: Record<'ed25519' | 'ecdsa-p256' | 'rsa', Key>;
beforeAll(async () => {
  keys = {
    ed25519: await newKey('ed25519'),
    'ecdsa-p256': await newKey('ecdsa-p256'),
    rsa: await newRsaKey(2048),
  };
});

const pemOf = (der: Uint8Array) => encodePem({ label: 'CERTIFICATE', der });

describe('a certificate', () => {
  it('is read by others as it was meant, whatever its names, dates and serial', () => {
    const name = fc
      .string({ minLength: 1, maxLength: 40, unit: 'binary' })
      .filter((text) => !/[\0\n\\,+="<>;#]|^ | $/.test(text));
    const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
    const date = fc.date({ min: new Date('1990-01-01'), max: new Date('2150-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(
        fc.constantFrom('ed25519', 'ecdsa-p256', 'rsa'),
        fc.uint8Array({ minLength: 1, maxLength: 16 }),
        name,
        fc.array(
          fc.oneof(
            label.map((dns) => ({ dns })),
            fc.ipV4().map((ip) => ({ ip })),
            fc.ipV6().map((ip) => ({ ip })),
          ),
          { minLength: 1, maxLength: 5 },
        ),
        date,
        (kind, serial, common, names, when) => {
          const key = keys[kind];
          const notBefore = new Date(Math.floor(when.getTime() / 1000) * 1000);
          const notAfter = new Date(notBefore.getTime() + 86_400_000);
          const subject = nameOf(['O', 'herd'], ['CN', common]);
          const der = signCertificate(
            {
              serial,
              subject,
              issuer: subject,
              notBefore,
              notAfter,
              key,
              extensions: [alternativeNames(names)],
            },
            key,
          );
          const read = new X509Certificate(pemOf(der));
          expect(read.verify(read.publicKey)).toBe(true);
          expect(read.checkIssued(read)).toBe(true);
          expect(BigInt(`0x${read.serialNumber || '0'}`)).toBe(
            BigInt(`0x${Buffer.from(serial).toString('hex')}`),
          );
          expect([new Date(read.validFrom), new Date(read.validTo)]).toEqual([notBefore, notAfter]);
          const library = new LibraryCertificate(der);
          expect(library.subjectName.getField('CN')).toEqual([common]);
          for (const each of names)
            expect(
              'dns' in each ? read.subjectAltName?.includes(`DNS:${each.dns}`) : read.checkIP(each.ip),
            ).toBeTruthy();
        },
      ),
      { numRuns: 60, seed: 2026 },
    );
  });

  it('below another takes its name and key id from it', () => {
    const subject = nameOf(['O', 'talos'], ['CN', 'a_b']);
    const dates = { notBefore: new Date('2026-01-01T00:00:00Z'), notAfter: new Date('2060-01-01T00:00:00Z') };
    const id = randomBytes(20);
    const authority = pemOf(
      signCertificate(
        {
          serial: randomBytes(16),
          subject,
          issuer: subject,
          ...dates,
          key: keys.ed25519,
          extensions: [keyUsage('keyCertSign', 'cRLSign'), basicConstraints(true), subjectKeyId(id)],
        },
        keys.ed25519,
      ),
    );
    const issuer = issuerOf(authority);
    expect(Buffer.from(issuer.keyId ?? []).equals(id)).toBe(true);
    const extensions = [
      keyUsage('digitalSignature', 'keyEncipherment'),
      extendedKeyUsage(['client']),
      authorityKeyId(id),
    ];
    const child = new X509Certificate(
      pemOf(
        signCertificate(
          {
            serial: Buffer.from([0x80]),
            subject: nameOf(['CN', 'x']),
            issuer: issuer.name,
            ...dates,
            key: keys['ecdsa-p256'],
            extensions,
          },
          keys.ed25519,
        ),
      ),
    );
    expect(child.checkIssued(new X509Certificate(authority))).toBe(true);
    expect(child.keyUsage).toEqual(['1.3.6.1.5.5.7.3.2']);
    expect(new X509Certificate(authority).ca).toBe(true);
  });
});

describe('DER', () => {
  it('has integers that are never negative and no longer than they must be', () => {
    expect(Buffer.from(integer(Buffer.from([0, 0, 0x80]))).toString('hex')).toBe('02020080');
    expect(Buffer.from(integer(Buffer.from([0, 0]))).toString('hex')).toBe('020100');
  });

  it('writes large parts of an object identifier in base 128', () => {
    expect(Buffer.from(oid('1.2.840.113549.1.1.11')).toString('hex')).toBe('06092a864886f70d01010b');
  });

  it('that ends too early is refused', () => {
    expect(() => partsOf(Buffer.from([0x30, 0x05, 0x00]))).toThrow('longer than its bytes');
  });
});
