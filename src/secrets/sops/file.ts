/** SOPS files with age keys, in YAML: read and written so that the real `sops` does the same (v3.11). */

import { createHash, timingSafeEqual } from 'node:crypto';
import { stringify } from 'yaml';
import { z } from 'zod';
import { OxherdError } from '../../model/error.js';
import { once } from '../../model/memoize.js';
import type { RandomBytes } from '../certificates.js';
import { readSecretYaml } from '../secret-yaml.js';
import { decryptValue, encryptValue, type Scalar, scalarText } from './value.js';

const metadataSchema = once(() =>
  z.looseObject({
    age: z.array(z.object({ recipient: z.string(), enc: z.string() })).optional(),
    lastmodified: z.union([z.string(), z.date()]),
    mac: z.string(),
    shamir_threshold: z.number().optional(),
    unencrypted_suffix: z.string().optional(),
    encrypted_suffix: z.string().optional(),
    unencrypted_regex: z.string().optional(),
    encrypted_regex: z.string().optional(),
    unencrypted_comment_regex: z.string().optional(),
    encrypted_comment_regex: z.string().optional(),
    mac_only_encrypted: z.boolean().optional(),
  }),
);
type Metadata = z.infer<ReturnType<typeof metadataSchema>>;

/** Written by this version of the format; `sops` compares only majors. */
const FORMAT_VERSION = '3.11.0';
const DEFAULT_SUFFIX = '_unencrypted';

/** Hashed first where only encrypted values count, so that the two kinds of MAC never agree (sops.go). */
const MAC_ONLY_ENCRYPTED = Buffer.from(
  '8a3fd2ad54ce66527b1034f3d147be0b0b975b3bf44f72c6fdadec8176f27d69',
  'hex',
);

export function isSopsText(text: string): boolean {
  return /^sops:\s*$/m.test(text) && text.includes('ENC[AES256_GCM,');
}

export async function encryptSops(
  value: Readonly<Record<string, unknown>>,
  options: { readonly recipients: readonly string[]; readonly now: Date; readonly random: RandomBytes },
): Promise<string> {
  if (options.recipients.length === 0) throw new RangeError('a SOPS file needs at least one age recipient');
  const key = options.random(32);
  const lastmodified = `${options.now.toISOString().slice(0, 19)}Z`;
  const mac = createHash('sha512');
  const encrypted = mapLeaves(value, [], (leaf, path) => {
    mac.update(scalarText(leaf));
    return isEncrypted(path, { unencrypted_suffix: DEFAULT_SUFFIX })
      ? encryptValue(leaf, key, contextOf(path), options.random)
      : leaf;
  });
  const age = await Promise.all(
    options.recipients.map(async (recipient) => ({ recipient, enc: await sealKey(key, recipient) })),
  );
  const sops = {
    age,
    lastmodified,
    mac: encryptValue(mac.digest('hex').toUpperCase(), key, lastmodified, options.random),
    unencrypted_suffix: DEFAULT_SUFFIX,
    version: FORMAT_VERSION,
  };
  return stringify({ ...asRecord(encrypted), sops }, { compat: 'yaml-1.1', indent: 4, lineWidth: 0 });
}

/** The plain content. Nothing of it is given out before the MAC over all of it was checked. */
export async function decryptSops(
  text: string,
  identities: readonly string[],
  where: string,
): Promise<Record<string, unknown>> {
  const { sops, ...tree } = asRecord(readYaml(text, where));
  const metadata = readMetadata(sops, where);
  const key = await openKey(metadata, identities, where);
  const mac = createHash('sha512');
  if (metadata.mac_only_encrypted) mac.update(MAC_ONLY_ENCRYPTED);
  const plain = mapLeaves(tree, [], (leaf, path) => {
    const encrypted = isEncrypted(path, metadata);
    const value = encrypted ? decryptValue(String(leaf), key, contextOf(path)) : leaf;
    if (encrypted || !metadata.mac_only_encrypted) mac.update(scalarText(value));
    return value;
  });
  const recorded = decryptValue(metadata.mac, key, lastModifiedText(metadata));
  const computed = mac.digest('hex').toUpperCase();
  if (!sameText(String(recorded), computed)) {
    throw new OxherdError('sops.mac', `${where} was changed after it was encrypted: its MAC does not match`, {
      where,
      advice: 'Restore the file from a backup or from version control. Edit it only with `sops`.',
    });
  }
  return asRecord(plain);
}

function readYaml(text: string, where: string): unknown {
  // Timestamps stay text: they are authenticated as they are written.
  return readSecretYaml(
    text,
    (place) => new OxherdError('sops.invalid', `${where} is not YAML at ${place}`, { where }),
    { schema: 'core' },
  );
}

function readMetadata(sops: unknown, where: string): Metadata {
  const result = metadataSchema().safeParse(sops);
  if (!result.success) {
    throw new OxherdError('sops.invalid', `${where} has no usable \`sops\` section`, { where });
  }
  const metadata = result.data;
  if ((metadata.shamir_threshold ?? 0) > 1) {
    throw new OxherdError('sops.unsupported', `${where} splits its key over groups (shamir_threshold)`, {
      where,
      advice: 'Encrypt it for age recipients without key groups.',
    });
  }
  if (metadata.encrypted_comment_regex ?? metadata.unencrypted_comment_regex) {
    throw new OxherdError('sops.unsupported', `${where} chooses values by comments (…_comment_regex)`, {
      where,
      advice: 'Encrypt it without comment rules.',
    });
  }
  return metadata;
}

async function openKey(
  metadata: Metadata,
  identities: readonly string[],
  where: string,
): Promise<Uint8Array> {
  const sealed = metadata.age ?? [];
  if (sealed.length === 0) {
    throw new OxherdError('sops.unsupported', `${where} is not encrypted for age`, {
      where,
      advice: 'Add an age recipient with `sops --add-age`.',
    });
  }
  for (const { enc } of sealed) {
    for (const identity of identities) {
      try {
        const { armor, Decrypter } = await import('age-encryption');
        const decrypter = new Decrypter();
        decrypter.addIdentity(identity);
        return await decrypter.decrypt(armor.decode(enc));
      } catch {
        // Another recipient's stanza; the message would say nothing more.
      }
    }
  }
  const names = sealed.map((entry) => entry.recipient).join(', ');
  throw new OxherdError(
    identities.length === 0 ? 'sops.no-key' : 'sops.wrong-key',
    identities.length === 0
      ? `${where} is encrypted and there is no age key to open it`
      : `none of the age keys opens ${where}`,
    {
      where,
      advice: `It was encrypted for ${names}. Put that key into SOPS_AGE_KEY, SOPS_AGE_KEY_FILE or the sops folder of your user config (age/keys.txt).`,
    },
  );
}

async function sealKey(key: Uint8Array, recipient: string): Promise<string> {
  const { armor, Encrypter } = await import('age-encryption');
  const encrypter = new Encrypter();
  encrypter.addRecipient(recipient);
  const text = armor.encode(await encrypter.encrypt(key));
  return text.endsWith('\n') ? text : `${text}\n`;
}

function isEncrypted(path: readonly string[], rules: Partial<Metadata>): boolean {
  let encrypted = true;
  const some = (test: (part: string) => boolean): boolean => path.some(test);
  if (rules.unencrypted_suffix) encrypted = !some((part) => part.endsWith(rules.unencrypted_suffix ?? ''));
  if (rules.encrypted_suffix) encrypted = some((part) => part.endsWith(rules.encrypted_suffix ?? ''));
  const unencrypted = rules.unencrypted_regex;
  if (unencrypted && some((part) => new RegExp(unencrypted).test(part))) encrypted = false;
  const only = rules.encrypted_regex;
  if (only) encrypted = some((part) => new RegExp(only).test(part));
  return encrypted;
}

/** List items share the path of their list, as in sops.go. */
function mapLeaves(
  value: unknown,
  path: readonly string[],
  onLeaf: (leaf: Scalar, path: readonly string[]) => Scalar,
): unknown {
  if (Array.isArray(value)) return value.map((item) => mapLeaves(item, path, onLeaf));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, mapLeaves(item, [...path, name], onLeaf)]),
    );
  }
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return onLeaf(value, path);
  return value;
}

function contextOf(path: readonly string[]): string {
  return `${path.join(':')}:`;
}

function lastModifiedText({ lastmodified }: Metadata): string {
  return typeof lastmodified === 'string' ? lastmodified : `${lastmodified.toISOString().slice(0, 19)}Z`;
}

function sameText(a: string, b: string): boolean {
  const left = Buffer.from(a);
  const right = Buffer.from(b);
  return left.length === right.length && timingSafeEqual(left, right);
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}
