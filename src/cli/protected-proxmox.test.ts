import { describe, expect, it } from 'vitest';
import { smallFile } from '../../test/support/small-file.js';
import { configOf } from '../../test/support/vm-site.js';
import { withProtectedProxmox } from './protected-proxmox.js';

const config = configOf(smallFile());
const PIN = 'ab'.repeat(32);

describe('protected variables of a pipeline', () => {
  it('leave the config as it is if none is set', () => {
    expect(withProtectedProxmox(config, {})).toBe(config);
  });

  it('replace endpoint, trust and token, whatever the config has', () => {
    const hostile = {
      ...config,
      proxmox: {
        ...config.proxmox,
        endpoints: ['https://evil.example:8006'],
        fingerprints: { 'https://pve1.lan:8006': 'FF' },
        tls: { kind: 'insecure' as const },
        token: { kind: 'env' as const, name: 'OTHER' },
      },
    };
    const { proxmox } = withProtectedProxmox(hostile, {
      OXHERD_PROXMOX_ENDPOINT: 'https://pve1.lan, https://pve2.lan:8007/',
      OXHERD_PROXMOX_FINGERPRINT: PIN,
    });
    expect(proxmox).toEqual({
      ...config.proxmox,
      endpoints: ['https://pve1.lan:8006', 'https://pve2.lan:8007'],
      tls: { kind: 'fingerprint', sha256: (PIN.toUpperCase().match(/../g) ?? []).join(':') },
      token: { kind: 'env', name: 'OXHERD_PROXMOX_TOKEN' },
    });
    expect(proxmox).not.toHaveProperty('fingerprints');
  });

  it('trust the CAs of the system, or one CA', () => {
    const of = (env: Record<string, string>) =>
      withProtectedProxmox(config, { OXHERD_PROXMOX_ENDPOINT: 'https://pve1.lan', ...env }).proxmox.tls;
    expect(of({})).toEqual({ kind: 'system' });
    expect(of({ OXHERD_PROXMOX_CA: '/etc/ca.pem' })).toEqual({ kind: 'ca', path: '/etc/ca.pem' });
  });

  it.each([
    ['a pin without an endpoint', { OXHERD_PROXMOX_FINGERPRINT: PIN }],
    ['a CA without an endpoint', { OXHERD_PROXMOX_CA: 'ca.pem' }],
    ['a CA beside the config', { OXHERD_PROXMOX_ENDPOINT: 'https://pve1.lan', OXHERD_PROXMOX_CA: 'ca.pem' }],
    ['plain http', { OXHERD_PROXMOX_ENDPOINT: 'http://pve1.lan:8006' }],
    ['an address with a user', { OXHERD_PROXMOX_ENDPOINT: 'https://a@pve1.lan:8006' }],
    ['an empty address in a list', { OXHERD_PROXMOX_ENDPOINT: 'https://pve1.lan,' }],
    ['half a pin', { OXHERD_PROXMOX_ENDPOINT: 'https://pve1.lan', OXHERD_PROXMOX_FINGERPRINT: 'AB:CD' }],
    [
      'a pin and a CA',
      {
        OXHERD_PROXMOX_ENDPOINT: 'https://pve1.lan',
        OXHERD_PROXMOX_FINGERPRINT: PIN,
        OXHERD_PROXMOX_CA: 'x',
      },
    ],
  ])('are refused: %s', (_, env) => {
    expect(() => withProtectedProxmox(config, env)).toThrow(
      expect.objectContaining({ code: 'cli.protected-proxmox' }),
    );
  });
});
