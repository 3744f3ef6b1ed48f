import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkSecretsBelong } from './belonging.js';
import { clientFilesFolder, secretsPlace } from './locate.js';
import { ensureSecrets, loadSecrets, type SecretsEnvironment, storeSecrets } from './store.js';
import { parseTalosSecrets, secretsFingerprint } from './talos-secrets.js';

const fixture = readFileSync(
  new URL('../../test/fixtures/secrets/talos-v1.13/secrets.yaml', import.meta.url),
  'utf8',
);
const real = parseTalosSecrets(fixture, 'fixture');

let folder: string;
let environment: SecretsEnvironment;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-secrets-'));
  environment = {
    env: {},
    home: join(folder, 'home'),
    platform: 'linux',
    now: new Date('2026-11-15T05:00:00Z'),
    random: (length) => randomBytes(length),
  };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const mode = (path: string): number => statSync(path).mode & 0o777;

const CLUSTER = { name: 'small', env: 'dev' };

describe('the secrets file beside the config', () => {
  it('is encrypted with a key made for it, private, and read back', async () => {
    const place = secretsPlace({ cwd: folder, config: 'oxherd.yaml', lab: false, cluster: CLUSTER });
    const stored = await storeSecrets(real, place, environment);
    expect(stored.path).toBe(join(folder, 'secrets.sops.yaml'));
    expect(stored.newAgeKeyFile).toBe(join(folder, 'home/.config/sops/age/keys.txt'));
    expect([mode(stored.path), mode(stored.newAgeKeyFile ?? '')]).toEqual([0o600, 0o600]);
    expect(readFileSync(stored.path, 'utf8')).not.toContain(real.certs.os.key);
    expect(await loadSecrets(place, environment)).toEqual({
      secrets: real,
      path: place.path,
      encrypted: true,
    });
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('is never overwritten', async () => {
    const place = secretsPlace({ cwd: folder, config: 'oxherd.yaml', lab: false, cluster: CLUSTER });
    writeFileSync(place.path, 'precious');
    await expect(storeSecrets(real, place, environment)).rejects.toMatchObject({ code: 'secrets.exists' });
    expect(readFileSync(place.path, 'utf8')).toBe('precious');
  });

  it('may be plain, which is told', async () => {
    writeFileSync(join(folder, 'secrets.yaml'), fixture);
    const place = secretsPlace({ cwd: folder, config: 'oxherd.yaml', lab: false, cluster: CLUSTER });
    expect(await loadSecrets(place, environment)).toMatchObject({
      encrypted: false,
      path: join(folder, 'secrets.yaml'),
    });
    await expect(storeSecrets(real, place, environment)).rejects.toMatchObject({ code: 'secrets.exists' });
  });

  it('takes the key from SOPS_AGE_KEY and from SOPS_AGE_KEY_FILE', async () => {
    const place = secretsPlace({ cwd: folder, config: 'oxherd.yaml', lab: false, cluster: CLUSTER });
    const { newAgeKeyFile = '' } = await storeSecrets(real, place, environment);
    const elsewhere = { ...environment, home: join(folder, 'nobody') };
    await expect(loadSecrets(place, elsewhere)).rejects.toMatchObject({ code: 'sops.no-key' });
    const byFile = { ...elsewhere, env: { SOPS_AGE_KEY_FILE: newAgeKeyFile } };
    expect((await loadSecrets(place, byFile))?.secrets).toEqual(real);
    const byValue = { ...elsewhere, env: { SOPS_AGE_KEY: readFileSync(newAgeKeyFile, 'utf8') } };
    expect((await loadSecrets(place, byValue))?.secrets).toEqual(real);
  });
});

describe('the lab', () => {
  it('keeps its secrets plain, private, and makes them once', async () => {
    const place = secretsPlace({ cwd: folder, config: 'oxherd.yaml', lab: true, cluster: CLUSTER });
    const first = await ensureSecrets(place, environment);
    expect(first).toMatchObject({ created: true, path: join(folder, '.oxherd/lab/small_dev/secrets.yaml') });
    expect(mode(first.path)).toBe(0o600);
    expect(await ensureSecrets(place, environment)).toMatchObject({ created: false, secrets: first.secrets });
  });
});

describe('places', () => {
  it('follow a config that is a folder', () => {
    expect(secretsPlace({ cwd: '/', config: folder, lab: false, cluster: CLUSTER }).path).toBe(
      join(folder, 'secrets.sops.yaml'),
    );
  });

  it('keep twins apart by env', () => {
    expect(clientFilesFolder({ cwd: '/x', lab: false }, { name: 'a', env: '' })).toBe('/x/.oxherd/a');
    expect(clientFilesFolder({ cwd: '/x', lab: true }, { name: 'a', env: 'dev' })).toBe(
      '/x/.oxherd/lab/a_dev',
    );
  });
});

describe('secrets and a living cluster', () => {
  const trace = { fingerprint: secretsFingerprint(real), where: 'data VM 1410' };

  it('must belong together', () => {
    expect(() => checkSecretsBelong(real, [trace], 'f')).not.toThrow();
    expect(() => checkSecretsBelong(undefined, [], 'f')).not.toThrow();
    expect(() => checkSecretsBelong(undefined, [trace], 'f')).toThrow(/its secrets are missing/);
    expect(() => checkSecretsBelong(real, [trace, { fingerprint: 'x', where: 'data VM 9' }], 'f')).toThrow(
      /data VM 9$/,
    );
  });
});
