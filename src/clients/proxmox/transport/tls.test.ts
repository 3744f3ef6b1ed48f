import { describe, expect, it } from 'vitest';
import { normalFingerprint, trustedConnector } from './tls.js';

describe('fingerprints', () => {
  const hex = 'ab'.repeat(32);
  it('are the same with and without colons, in either case', () => {
    const normal = Array(32).fill('AB').join(':');
    for (const text of [hex, hex.toUpperCase(), normal, `sha256:${hex}`])
      expect(normalFingerprint(text)).toBe(normal);
  });

  it('are 32 bytes', () => {
    for (const text of ['', 'ab', hex.slice(2), `${hex}00`, 'zz'.repeat(32)]) {
      expect(normalFingerprint(text)).toBeUndefined();
    }
    expect(() =>
      trustedConnector({ trust: { kind: 'fingerprint', sha256: 'ab' }, connectTimeoutMs: 1 }),
    ).toThrow('not a SHA-256 fingerprint');
  });
});
