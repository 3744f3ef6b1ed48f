/** No text of an encrypted file is ever taken for a value. */
import { describe, expect, it } from 'vitest';
import { loadTemplate } from '../from-template/load.js';
import { loadTfvars } from '../from-tfvars/load.js';
import { loadConfig } from '../load.js';

const ENC = 'ENC[AES256_GCM,data:c2VjcmV0,iv:AAAA,tag:BBBB,type:str]';
const readText = () => undefined;
const tfvars = (path: string, text: string) => loadTfvars({ files: [{ path, name: path, text }], readText });

const TEXTS: readonly (readonly [string, string, string])[] = [
  ['one value', 'x.tfvars', `env = "dev"\nproxmox_api_token = "${ENC}"\n`],
  ['JSON', 'x.tfvars.json', JSON.stringify({ proxmox_api_token: ENC, sops: { mac: ENC } })],
  ['binary', 'x.tfvars', JSON.stringify({ data: ENC, sops: { mac: ENC } }, undefined, 1)],
  ['dotenv', 'x.tfvars', `proxmox_api_token=${ENC}\nsops_mac=${ENC}\n`],
];

describe('encrypted files', () => {
  it.each(TEXTS)('SOPS: %s', (_, path, text) => {
    const { config, diagnostics } = tfvars(path, text);
    expect(config).toBeUndefined();
    expect(diagnostics.map(({ code, message }) => [code, message])).toEqual([
      ['config.encrypted', 'the file is encrypted with SOPS'],
    ]);
    expect(diagnostics[0]?.hint).toContain(`sops decrypt ${path}`);
  });

  it('one of several files', () => {
    const files = ['terraform.tfvars', 'secret.auto.tfvars'].map((path, i) => ({
      path,
      name: path,
      text: i === 0 ? 'env = "dev"\n' : `proxmox_api_token = "${ENC}"\n`,
    }));
    const { diagnostics } = loadTfvars({ files, readText });
    expect(diagnostics.map(({ file, line }) => [file, line])).toEqual([['secret.auto.tfvars', 1]]);
  });

  it.each([
    ['age', '-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n'],
    ['Ansible Vault', '$ANSIBLE_VAULT;1.1;AES256\n6162\n'],
    ['git-crypt', '\0GITCRYPT\0abc'],
    ['GnuPG', '-----BEGIN PGP MESSAGE-----\n\nabc\n'],
  ])('%s', (tool, text) => {
    expect(tfvars('x.tfvars', text).diagnostics[0]?.message).toBe(`the file is encrypted with ${tool}`);
  });

  it('an oxherd.yaml, and the files of the template', () => {
    const text = `cluster: { name: ${ENC} }\nsops: { mac: ${ENC} }\n`;
    expect(loadConfig({ path: 'oxherd.yaml', text, readText }).diagnostics[0]?.code).toBe('config.encrypted');
    const file = (path: string, content: string) => ({ path, name: path, text: content });
    const { diagnostics } = loadTemplate({
      cluster: file('cluster.yaml', text),
      nodes: file('nodes.yaml', 'nodes: []\n'),
      readText,
    });
    expect(diagnostics[0]?.code).toBe('config.encrypted');
  });
});
