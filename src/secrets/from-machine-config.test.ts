import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { secretsFromMachineConfig } from './from-machine-config.js';
import { parseTalosSecrets } from './talos-secrets.js';

const read = (name: string) =>
  readFileSync(new URL(`../../test/fixtures/secrets/${name}`, import.meta.url), 'utf8');

describe('the machine config of a control plane', () => {
  it.each(['talos-v1.13', 'talos-v1.14'])('holds all secrets: %s', (version) => {
    const found = secretsFromMachineConfig(read(`${version}/controlplane-0.yaml`), 'cp-1');
    expect(found).toEqual(parseTalosSecrets(read(`${version}/secrets.yaml`), 'secrets.yaml'));
  });

  it('that lacks one is refused without its values in the message', () => {
    const config = read('talos-v1.13/controlplane-0.yaml').replace(/^ {4}id: .*$/m, '');
    expect(() => secretsFromMachineConfig(config, 'cp-1')).toThrow(
      /^cp-1 holds no Talos secrets: cluster\.id is missing/,
    );
  });

  it('of a worker has none', () => {
    expect(() => secretsFromMachineConfig(read('talos-v1.13/worker-3.yaml'), '10.0.0.9')).toThrow(
      /10\.0\.0\.9 is no control plane/,
    );
  });

  it('that is broken is not quoted', () => {
    expect(() => secretsFromMachineConfig('machine: {token: abcdef.secret', 'cp-1')).toThrow(
      /^the machine config of cp-1 is not YAML at line \d+, column \d+$/,
    );
  });
});
