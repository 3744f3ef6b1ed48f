/** Every broken file says what is wrong, where, and what to write instead. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatDiagnostic } from '../diagnostics.js';
import { loadTfvars } from './load.js';

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '../../../test/fixtures/config/from-tfvars');
const SCHEMATIC =
  'customization: { systemExtensions: { officialExtensions: [siderolabs/qemu-guest-agent] } }\n';
const base = readFileSync(join(FIXTURES, 'base.tfvars'), 'utf8');
const readText = (path: string) => (path === 'schematic.yaml' ? SCHEMATIC : undefined);
const load = (name: string, text: string) =>
  loadTfvars({
    files: [
      { path: 'base.tfvars', name: 'base.tfvars', text: base },
      { path: name, name, text },
    ],
    readText,
  });

const names = readdirSync(join(FIXTURES, 'broken'))
  .filter((name) => /\.tfvars(\.json)?$/.test(name))
  .sort();

describe('broken variable files', () => {
  it('start from a file that is valid', () => {
    const { config, diagnostics } = load('empty.tfvars', '');
    expect(diagnostics).toEqual([]);
    expect(config?.nodes.map((node) => node.name)).toEqual(['controller1', 'worker1']);
  });

  it('are many', () => expect(names.length).toBeGreaterThanOrEqual(40));

  it.each(names)('%s', async (name) => {
    const { config, diagnostics } = load(name, readFileSync(join(FIXTURES, 'broken', name), 'utf8'));
    expect(config).toBeUndefined();
    const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error.line).toBeGreaterThan(0);
    const text = errors.map((error) => formatDiagnostic(error)).join('\n');
    await expect(`${text}\n`).toMatchFileSnapshot(join(FIXTURES, 'broken', `${name}.expected`));
  });
});
