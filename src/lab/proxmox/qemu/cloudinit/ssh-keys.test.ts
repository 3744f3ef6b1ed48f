import { describe, expect, it } from 'vitest';
import { assertSshKeys, decodeSshKeys } from './ssh-keys.js';

const ED25519 = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0u4bG7dA2u7g1pYvPqvlyUOcCzAqcSwqZUYXmJHk2f';
const check = (text: string) => () => assertSshKeys(encodeURIComponent(text));

describe('SSH keys of a VM', () => {
  it('are taken with a comment, with options before them, and with empty lines between them', () => {
    expect(check(ED25519)).not.toThrow();
    expect(check(`\n${ED25519} me@x\n\n  ${ED25519}\n`)).not.toThrow();
    expect(check(`no-pty,command="a b" ${ED25519} me`)).not.toThrow();
  });

  it('must be keys to the last byte, line by line', () => {
    for (const wrong of [
      'nonsense',
      '# a comment alone',
      'ssh-ed25519 AAAA me',
      `${ED25519.slice(0, -4)}`,
      ED25519.replace('ssh-ed25519', 'ssh-rsa'),
      `${ED25519}\nssh-ed25519 zzzz`,
    ]) {
      expect(check(wrong), wrong).toThrow('SSH public key validation error');
    }
  });

  it('need 1024 bits for RSA and a point on the curve for ECDSA', () => {
    const field = (bytes: Buffer) => Buffer.concat([Buffer.from([0, 0, 0, bytes.length]), bytes]);
    const key = (type: string, ...fields: Buffer[]) =>
      `${type} ${Buffer.concat([field(Buffer.from(type)), ...fields.map(field)]).toString('base64')}`;
    const modulus = (length: number) => Buffer.concat([Buffer.from([0]), Buffer.alloc(length, 0xc1)]);
    expect(check(key('ssh-rsa', Buffer.from([1, 0, 1]), modulus(128)))).not.toThrow();
    expect(check(key('ssh-rsa', Buffer.from([1, 0, 1]), modulus(64)))).toThrow();
    const offCurve = Buffer.concat([Buffer.from([4]), Buffer.alloc(64, 1)]);
    expect(check(key('ecdsa-sha2-nistp256', Buffer.from('nistp256'), offCurve))).toThrow();
  });

  it('keep broken escapes as they are', () => {
    expect(decodeSshKeys('a%zz%20b%C3%BC')).toBe('a%zz bü');
  });
});
