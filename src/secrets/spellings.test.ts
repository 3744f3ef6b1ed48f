/** Secrets as other tools write them. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { fromBase64Pem } from './pem.js';
import { encryptSops } from './sops/file.js';
import { readSecretsText, type SecretsEnvironment } from './store.js';
import { parseTalosSecrets } from './talos-secrets.js';

const fixture = (name: string) =>
  readFileSync(new URL(`../../test/fixtures/secrets/talos-v1.13/${name}`, import.meta.url), 'utf8');
const talosctl = fixture('secrets.yaml');
const real = parseTalosSecrets(talosctl, 'fixture');
const { certs } = real;

/** `yamlencode(talos_machine_secrets.this.machine_secrets)`: keys quoted and sorted, absent values `null`. */
const module = {
  certs: {
    etcd: { cert: certs.etcd.crt, key: certs.etcd.key },
    k8s: { cert: certs.k8s.crt, key: certs.k8s.key },
    k8s_aggregator: { cert: certs.k8saggregator.crt, key: certs.k8saggregator.key },
    k8s_serviceaccount: { key: certs.k8sserviceaccount.key },
    os: { cert: certs.os.crt, key: certs.os.key },
  },
  cluster: real.cluster,
  secrets: {
    aescbc_encryption_secret: null,
    bootstrap_token: real.secrets.bootstraptoken,
    secretbox_encryption_secret: real.secrets.secretboxencryptionsecret,
  },
  trustdinfo: real.trustdinfo,
};

const environment = (env: Record<string, string> = {}): SecretsEnvironment => ({
  env,
  home: '/nonexistent',
  platform: 'linux',
  now: new Date('2026-11-15T05:00:00Z'),
  random: (length) => randomBytes(length),
});

describe('secrets of the Terraform module', () => {
  it('are those of talosctl in the spelling of the provider', () => {
    const text = stringify(module, { defaultKeyType: 'QUOTE_DOUBLE', defaultStringType: 'QUOTE_DOUBLE' });
    expect(text).toContain('"aescbc_encryption_secret": null');
    expect(parseTalosSecrets(text, 'output/talos-machine-secrets.yaml')).toEqual(real);
  });

  it('are read out of the resource and out of `terraform output -json`', () => {
    const resource = { id: 'machine_secrets', machine_secrets: module, talos_version: 'v1.12.4' };
    expect(parseTalosSecrets(JSON.stringify(resource), 'f')).toEqual(real);
    expect(parseTalosSecrets(JSON.stringify({ sensitive: true, type: 'x', value: resource }), 'f')).toEqual(
      real,
    );
  });

  it('keep an aescbc secret, and take PEM as it is', () => {
    const secrets = {
      ...module.secrets,
      aescbc_encryption_secret: 'AAAA',
      secretbox_encryption_secret: null,
    };
    const plainOs = { cert: fromBase64Pem(certs.os.crt), key: fromBase64Pem(certs.os.key) };
    const text = stringify({ ...module, secrets, certs: { ...module.certs, os: plainOs } });
    const read = parseTalosSecrets(text, 'f');
    expect(read.secrets).toEqual({
      bootstraptoken: real.secrets.bootstraptoken,
      aescbcencryptionsecret: 'AAAA',
    });
    expect(read.certs.os).toEqual(certs.os);
  });

  it('name what is missing, never a value', () => {
    const { k8s_aggregator: _, ...others } = module.certs;
    const read = () => parseTalosSecrets(stringify({ ...module, certs: others }), 'f');
    expect(read).toThrow(/certs\.k8saggregator/);
    expect(read).not.toThrow(new RegExp(real.trustdinfo.token));
  });
});

describe('secrets of talhelper', () => {
  it('are opened with the age key of talsecret.sops.yaml', async () => {
    const identity = await generateX25519Identity();
    const recipients = [await identityToRecipient(identity)];
    const { now, random } = environment();
    const text = await encryptSops(parse(talosctl), { recipients, now, random });
    expect(text).not.toContain(real.trustdinfo.token);
    const opened = await readSecretsText(
      text,
      'talsecret.sops.yaml',
      environment({ SOPS_AGE_KEY: identity }),
    );
    expect(opened).toEqual({ secrets: real, encrypted: true });
    await expect(readSecretsText(text, 'talsecret.sops.yaml', environment())).rejects.toMatchObject({
      code: 'sops.no-key',
    });
  });
});

it('reads the machine config of a control plane, and says that a worker has no keys', async () => {
  const read = (name: string) => readSecretsText(fixture(name), name, environment());
  expect((await read('controlplane-0.yaml')).secrets.certs.os).toEqual(certs.os);
  await expect(read('worker-3.yaml')).rejects.toMatchObject({ code: 'secrets.worker' });
});
