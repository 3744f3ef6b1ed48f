import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { generateSecrets } from '../../secrets/generate.js';
import { systemEnvironment } from '../../secrets/store.js';
import { formatTalosSecrets } from '../../secrets/talos-secrets.js';
import type { SessionContext } from '../context.js';
import { findSecrets } from './secrets-files.js';
import { sharedSecretsNote } from './shared-secrets.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'oxherd-shared-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const config = (name: string, env = '') =>
  `cluster: { name: ${name}${env && `, env: ${env}`} }\nproxmox: {}\nnodes: {}\n`;
const add = (name: string, text: string) => writeFileSync(join(folder, name), text);
const note = (name: string, env = '') => sharedSecretsNote(join(folder, 'secrets.sops.yaml'), { name, env });

describe('secrets beside two configs', () => {
  it('are told of, with the other config, its cluster and the way out', () => {
    add('oxherd.yaml', config('moon'));
    add('other.yml', config('mars', 'prod'));
    expect(note('moon')).toMatch(/also used for other\.yml \(cluster mars \(prod\)\).*oxherd secrets init/);
    expect(note('mars', 'prod')).toContain('oxherd.yaml (cluster moon)');
  });

  it('are told of where only the environment differs', () => {
    add('dev.yaml', config('moon', 'dev'));
    add('prod.yaml', config('moon', 'prod'));
    expect(note('moon', 'dev')).toContain('prod.yaml');
  });

  it('are not told of for other files, broken files and the same cluster', () => {
    add('oxherd.yaml', config('moon'));
    add('copy.yaml', config('moon'));
    add('broken.yaml', 'cluster: [');
    add('values.yaml', 'cluster: { name: mars }\n');
    mkdirSync(join(folder, 'folder.yaml'));
    expect(note('moon')).toBeUndefined();
  });

  it('are told of when they are read for a real cluster', async () => {
    add('oxherd.yaml', config('moon'));
    add('other.yaml', config('mars'));
    add('secrets.yaml', formatTalosSecrets(await generateSecrets(systemEnvironment({}))));
    const told: string[] = [];
    const context: SessionContext = {
      cwd: folder,
      env: {},
      configPath: 'oxherd.yaml',
      target: { kind: 'proxmox' },
      tell: ({ message }) => told.push(message),
      signal: new AbortController().signal,
    };
    await findSecrets(context, { name: 'moon', env: '' });
    expect(told.join('\n')).toContain('other.yaml (cluster mars)');
  });
});
