/**
 * X.509 certificates of the few profiles that Talos, Kubernetes and Proxmox VE have. `node:crypto` reads and verifies
 * certificates but writes none; a library for all of X.509 was 200 kB to load for every command that talks to Talos.
 */
import { createPublicKey, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { isIPv4 } from 'node:net';
import {
  bits,
  type Der,
  der,
  integer,
  nothing,
  octets,
  oid,
  partsOf,
  sequence,
  set,
  text,
  time,
  yes,
} from './der.js';

interface CertificateFields {
  readonly serial: Uint8Array;
  readonly subject: Der;
  readonly issuer: Der;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** The private key of the certificate's own pair. */
  readonly key: KeyObject;
  readonly extensions?: readonly Der[];
}

/** The certificate as DER, signed with `signer`. */
export function signCertificate(fields: CertificateFields, signer: KeyObject): Uint8Array {
  const { hash, algorithm } = signatureOf(signer);
  const version3 = der(0xa0, integer(Buffer.from([2])));
  const extensions = fields.extensions?.length ? [der(0xa3, sequence(...fields.extensions))] : [];
  const body = sequence(
    version3,
    integer(fields.serial),
    algorithm,
    fields.issuer,
    sequence(time(fields.notBefore), time(fields.notAfter)),
    fields.subject,
    createPublicKey(fields.key).export({ type: 'spki', format: 'der' }),
    ...extensions,
  );
  return sequence(body, algorithm, bits(sign(hash, body, signer)));
}

function signatureOf(key: KeyObject): { hash: string | null; algorithm: Der } {
  switch (key.asymmetricKeyType) {
    case 'ed25519':
      return { hash: null, algorithm: sequence(oid('1.3.101.112')) };
    case 'ec':
      return { hash: 'sha256', algorithm: sequence(oid('1.2.840.10045.4.3.2')) };
    case 'rsa':
      return { hash: 'sha256', algorithm: sequence(oid('1.2.840.113549.1.1.11'), nothing) };
    default:
      throw new RangeError(`no certificate is signed with a key of type ${key.asymmetricKeyType}`);
  }
}

const ATTRIBUTES = { CN: '2.5.4.3', O: '2.5.4.10' } as const;

/** A name with its attributes in this order. */
export function nameOf(...attributes: readonly (readonly [keyof typeof ATTRIBUTES, string])[]): Der {
  return sequence(
    ...attributes.map(([attribute, value]) => set(sequence(oid(ATTRIBUTES[attribute]), text(value)))),
  );
}

function extension(type: string, value: Der, critical = false): Der {
  return sequence(oid(type), ...(critical ? [yes] : []), octets(value));
}

const KEY_USAGE_BITS = { digitalSignature: 0, keyEncipherment: 2, keyCertSign: 5, cRLSign: 6 } as const;

export function keyUsage(...usages: readonly (keyof typeof KEY_USAGE_BITS)[]): Der {
  const places: number[] = usages.map((usage) => KEY_USAGE_BITS[usage]);
  const byte = places.reduce((sum, place) => sum | (0x80 >> place), 0);
  return extension('2.5.29.15', bits(Buffer.from([byte]), 7 - Math.max(...places)), true);
}

const SIDES = { server: '1.3.6.1.5.5.7.3.1', client: '1.3.6.1.5.5.7.3.2' } as const;

export function extendedKeyUsage(sides: readonly (keyof typeof SIDES)[]): Der {
  return extension('2.5.29.37', sequence(...sides.map((side) => oid(SIDES[side]))));
}

export function basicConstraints(authority: boolean): Der {
  return authority ? extension('2.5.29.19', sequence(yes), true) : extension('2.5.29.19', sequence());
}

const SUBJECT_KEY_ID = '2.5.29.14';

export function subjectKeyId(id: Uint8Array): Der {
  return extension(SUBJECT_KEY_ID, octets(id));
}

export function authorityKeyId(id: Uint8Array): Der {
  return extension('2.5.29.35', sequence(der(0x80, id)));
}

/** Names and addresses in this order. */
export function alternativeNames(
  names: readonly ({ readonly dns: string } | { readonly ip: string })[],
): Der {
  const values = names.map((name) =>
    'dns' in name ? der(0x82, Buffer.from(name.dns, 'latin1')) : der(0x87, addressBytes(name.ip)),
  );
  return extension('2.5.29.17', sequence(...values));
}

function addressBytes(address: string): Uint8Array {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  // The parser of URLs writes an IPv6 address in its short form, without an IPv4 part.
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const groups = (part: string) => (part === '' ? [] : part.split(':'));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** What a certificate that is signed by this one takes from it. */
export function issuerOf(pem: string): { readonly name: Der; readonly keyId: Uint8Array | undefined } {
  const [certificate] = partsOf(new X509Certificate(pem).raw);
  const [body] = partsOf(certificate?.content ?? Buffer.alloc(0));
  const fields = partsOf(body?.content ?? Buffer.alloc(0));
  // Version (of a certificate with extensions), serial, algorithm, issuer, validity, subject.
  const subject = fields[fields[0]?.tag === 0xa0 ? 5 : 4];
  if (!subject) throw new RangeError('this is not a certificate');
  return { name: subject.whole, keyId: keyIdIn(fields.find(({ tag }) => tag === 0xa3)?.content) };
}

function keyIdIn(extensions: Uint8Array | undefined): Uint8Array | undefined {
  const [list] = partsOf(extensions ?? Buffer.alloc(0));
  const wanted = Buffer.from(oid(SUBJECT_KEY_ID));
  for (const { content } of partsOf(list?.content ?? Buffer.alloc(0))) {
    const parts = partsOf(content);
    if (!parts[0] || !wanted.equals(parts[0].whole)) continue;
    return partsOf(parts.at(-1)?.content ?? Buffer.alloc(0))[0]?.content;
  }
  return undefined;
}
