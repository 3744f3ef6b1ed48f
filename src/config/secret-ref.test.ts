import { describe, expect, it } from 'vitest';
import { formatSecretRef, parseSecretRef } from './secret-ref.js';

describe('secret reference', () => {
  it.each([
    ['env:OXHERD_PROXMOX_TOKEN', { kind: 'env', name: 'OXHERD_PROXMOX_TOKEN' }],
    ['file:/run/secrets/pve token', { kind: 'file', path: '/run/secrets/pve token' }],
    ['sops:secrets.yaml#proxmox.token', { kind: 'sops', path: 'secrets.yaml', key: ['proxmox', 'token'] }],
  ])('reads and writes %s', (text, ref) => {
    const parsed = parseSecretRef(text);
    expect(parsed).toEqual(ref);
    expect(parsed && formatSecretRef(parsed)).toBe(text);
  });

  it.each([
    '',
    'env:',
    'env:1A',
    'env:A-B',
    'file:',
    'sops:x.yaml',
    'sops:#a',
    'sops:x#a..b',
    'root@pam!t=1',
  ])('refuses %j', (text) => {
    expect(parseSecretRef(text)).toBeUndefined();
  });
});
