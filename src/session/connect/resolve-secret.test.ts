import { describe, expect, it } from 'vitest';
import { resolveProxmoxToken, resolveSecret } from './resolve-secret.js';

const env = { OXHERD_PROXMOX_TOKEN: 'a@pve!b=c', OXHERD_SITE_TOKEN: 'site', SOPS_AGE_KEY: 'age', GIT: 'git' };

describe('a reference to a variable', () => {
  it('is read for the key that it belongs to', async () => {
    expect(await resolveProxmoxToken({ env }, '.', { kind: 'env', name: 'OXHERD_PROXMOX_TOKEN' })).toBe(
      'a@pve!b=c',
    );
    expect(await resolveSecret({ env }, '.', { kind: 'env', name: 'GIT' })).toBe('git');
  });

  it.each(['OXHERD_PROXMOX_TOKEN', 'OXHERD_SITE_TOKEN', 'SOPS_AGE_KEY', 'GITHUB_TOKEN'])(
    'puts %s into no cluster',
    async (name) => {
      await expect(resolveSecret({ env }, '.', { kind: 'env', name })).rejects.toMatchObject({
        code: 'secret.own',
        message: expect.not.stringContaining('site'),
      });
    },
  );
});
