import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { completeKeys, readKeys } from './host-keys.js';

const NOW = new Date('2026-06-01T00:00:00Z');

describe('keys of the lab', () => {
  it('are certificates of one authority, good for the host and for loopback', async () => {
    const stored = await completeKeys(['pve1'], undefined, NOW);
    const host = new X509Certificate(readKeys(stored).hosts.get('pve1')?.certificate ?? '');
    expect(host.verify(new X509Certificate(stored.authority).publicKey)).toBe(true);
    expect(host.subjectAltName).toBe('IP Address:127.0.0.1, DNS:localhost, DNS:pve1');
    expect(host.fingerprint256).toBe(readKeys(stored).hosts.get('pve1')?.fingerprint);
    expect(new Date(host.validFrom) < NOW && new Date(host.validTo) > NOW).toBe(true);
  });

  it('stay as they are when a host is added', async () => {
    const first = await completeKeys(['pve1'], undefined, NOW);
    const second = await completeKeys(['pve1', 'pve2'], first, NOW);
    expect(second.hosts.pve1).toEqual(first.hosts.pve1);
    expect(second.authority).toBe(first.authority);
    const added = new X509Certificate(second.hosts.pve2?.certificate ?? '');
    expect(added.verify(new X509Certificate(first.authority).publicKey)).toBe(true);
    expect(await completeKeys(['pve1'], second, NOW)).toBe(second);
  });
});
