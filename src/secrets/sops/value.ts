/** One value of a SOPS file: `ENC[AES256_GCM,data:…,iv:…,tag:…,type:…]`, bound to its path. */

import { createCipheriv, createDecipheriv } from 'node:crypto';
import { OxherdError } from '../../model/error.js';
import type { RandomBytes } from '../certificates.js';

export type Scalar = string | number | boolean;

const NONCE_BYTES = 32;
const TAG_BYTES = 16;
const PATTERN = /^ENC\[AES256_GCM,data:(.+),iv:(.+),tag:(.+),type:(.+)\]/;

export function encryptValue(value: Scalar, key: Uint8Array, context: string, random: RandomBytes): string {
  // SOPS leaves empty strings as they are.
  if (value === '') return '';
  const iv = random(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(context, 'utf8'));
  const data = Buffer.concat([cipher.update(scalarText(value), 'utf8'), cipher.final()]);
  const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
  return `ENC[AES256_GCM,data:${base64(data)},iv:${base64(iv)},tag:${base64(cipher.getAuthTag())},type:${typeOf(value)}]`;
}

export function decryptValue(text: string, key: Uint8Array, context: string): Scalar {
  if (text === '') return '';
  const [, data, iv, tag, type] = PATTERN.exec(text) ?? [];
  if (data === undefined || iv === undefined || tag === undefined) {
    throw new OxherdError('sops.value', `the value at ${context} is not encrypted as SOPS does it`);
  }
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(iv, 'base64'), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(Buffer.from(context, 'utf8'));
    decipher.setAuthTag(Buffer.from(tag, 'base64'));
    const plain = Buffer.concat([decipher.update(Buffer.from(data, 'base64')), decipher.final()]).toString(
      'utf8',
    );
    return typed(plain, type);
  } catch (cause) {
    if (cause instanceof OxherdError) throw cause;
    throw new OxherdError('sops.value', `the value at ${context} does not decrypt: it was changed or moved`, {
      cause,
    });
  }
}

function typed(plain: string, type: string | undefined): Scalar {
  switch (type) {
    case 'str':
    case 'bytes':
    case 'time':
    case 'comment':
      return plain;
    case 'int':
    case 'float':
      return Number(plain);
    case 'bool':
      return plain.toLowerCase() === 'true';
    default:
      throw new OxherdError('sops.value', `SOPS type ${type} is not known`);
  }
}

function typeOf(value: Scalar): string {
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  return Number.isInteger(value) ? 'int' : 'float';
}

/** How SOPS writes a value before it is encrypted or hashed: booleans as Python did. */
export function scalarText(value: Scalar): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return String(value);
}
