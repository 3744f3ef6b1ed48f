/** SSH keys of a VM as `ssh-keygen -l` judges them, line by line (pve-common `validate_ssh_public_keys`). */
import { ECDH } from 'node:crypto';
import { PveError } from '../../api.js';

/** The value of `sshkeys`, which is URL-encoded text. Broken escapes stay as they are. */
export function decodeSshKeys(encoded: string): string {
  const text = encoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  const bytes = Buffer.from(text, 'latin1');
  return /[^\0-\xff]/.test(text) ? text : bytes.toString('utf8');
}

export function assertSshKeys(encoded: string): void {
  const lines = decodeSshKeys(encoded).split('\n');
  if (lines.some((line) => /\S/.test(line) && !isPublicKeyLine(line))) {
    throw new PveError(500, 'SSH public key validation error');
  }
}

/** A key, or a key behind the options that a line of `authorized_keys` may begin with. */
function isPublicKeyLine(line: string): boolean {
  const text = line.replace(/^[ \t]+/, '');
  if (text.startsWith('#')) return false;
  const [, rest] = /^(?:[^\s"\\]|\\"|\\|"(?:\\"|[^"])*")*[ \t]+(.*)$/.exec(text) ?? [];
  return isPublicKey(text) || (rest !== undefined && isPublicKey(rest));
}

const CURVES: Readonly<Record<string, string>> = {
  nistp256: 'prime256v1',
  nistp384: 'secp384r1',
  nistp521: 'secp521r1',
};

function isPublicKey(text: string): boolean {
  const [type = '', encoded = ''] = text.replace(/^[ \t]+/, '').split(/[ \t]+/);
  if (encoded.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return false;
  const [name, ...fields] = fieldsOf(Buffer.from(encoded, 'base64')) ?? [];
  if (name?.toString('latin1') !== type) return false;
  const [first, second, third] = fields;
  switch (type) {
    case 'ssh-ed25519':
      return fields.length === 1 && first?.length === 32;
    case 'ssh-rsa':
      return fields.length === 2 && bitsOf(second) >= 1024;
    case 'sk-ssh-ed25519@openssh.com':
      return fields.length === 2 && first?.length === 32;
    case 'sk-ecdsa-sha2-nistp256@openssh.com':
      return fields.length === 3 && third !== undefined && isPoint('nistp256', first, second);
    default: {
      const curve = /^ecdsa-sha2-(nistp\d+)$/.exec(type)?.[1];
      return curve !== undefined && fields.length === 2 && isPoint(curve, first, second);
    }
  }
}

/** Texts with their lengths before them, to the last byte. */
function fieldsOf(bytes: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  let rest = bytes;
  while (rest.length > 0) {
    if (rest.length < 4) return undefined;
    const end = 4 + rest.readUInt32BE(0);
    if (rest.length < end) return undefined;
    fields.push(rest.subarray(4, end));
    rest = rest.subarray(end);
  }
  return fields;
}

function bitsOf(number: Buffer | undefined): number {
  const hex = (number ?? Buffer.alloc(0)).toString('hex').replace(/^0+/, '');
  return hex === '' ? 0 : (hex.length - 1) * 4 + Number.parseInt(hex[0] ?? '0', 16).toString(2).length;
}

function isPoint(curve: string, named: Buffer | undefined, point: Buffer | undefined): boolean {
  const known = CURVES[curve];
  if (known === undefined || named?.toString('latin1') !== curve || point === undefined) return false;
  try {
    ECDH.convertKey(point, known);
    return true;
  } catch {
    return false;
  }
}
