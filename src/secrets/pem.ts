/** PEM as Go writes it: 64 columns, one newline at the end. */

import { OxherdError } from '../model/error.js';

interface PemBlock {
  readonly label: string;
  readonly der: Uint8Array;
}

export function encodePem({ label, der }: PemBlock): string {
  const body =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${body.join('\n')}\n-----END ${label}-----\n`;
}

/** The first block of the text. */
export function decodePem(text: string): PemBlock {
  const match = /-----BEGIN ([A-Z0-9 ]+)-----\r?\n([A-Za-z0-9+/=\s]+)-----END \1-----/.exec(text);
  if (!match?.[1] || match[2] === undefined) {
    // The text itself may be a key: it is never part of the message.
    throw new OxherdError('secrets.invalid', 'this is not a PEM block', {
      advice: 'The value must be base64 of a PEM block, as `talosctl gen secrets` writes it.',
    });
  }
  return { label: match[1], der: new Uint8Array(Buffer.from(match[2], 'base64')) };
}

/** Talos keeps PEM blocks base64-encoded once more in its YAML files. */
export function toBase64Pem(pem: string): string {
  return Buffer.from(pem, 'utf8').toString('base64');
}

export function fromBase64Pem(text: string): string {
  return Buffer.from(text, 'base64').toString('utf8');
}
