/** Every broken file of the template says what is wrong, where, and what to write instead. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatDiagnostic } from '../diagnostics.js';
import { loadTemplate } from './load.js';

const FIXTURES = join(dirname(fileURLToPath(import.meta.url)), '../../../test/fixtures/config/from-template');
const read = (...path: string[]) => readFileSync(join(FIXTURES, ...path), 'utf8');
const names = readdirSync(join(FIXTURES, 'broken'))
  .filter((name) => name.endsWith('.yaml'))
  .sort();

describe('broken files of the template', () => {
  it('are many', () => expect(names.length).toBeGreaterThanOrEqual(25));

  it.each(names)('%s', async (name) => {
    const broken = { path: name, name, text: read('broken', name) };
    const whole = (file: string) => ({ path: file, name: file, text: read('reference', file) });
    const isCluster = name.endsWith('.cluster.yaml');
    const { config, diagnostics } = loadTemplate({
      cluster: isCluster ? broken : whole('cluster.yaml'),
      nodes: isCluster ? whole('nodes.yaml') : broken,
      readText: () => undefined,
    });
    expect(config).toBeUndefined();
    const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error');
    expect(errors.length).toBeGreaterThan(0);
    const text = errors.map((error) => formatDiagnostic(error)).join('\n');
    expect(text).not.toContain('01234567-89ab');
    await expect(`${text}\n`).toMatchFileSnapshot(join(FIXTURES, 'broken', `${name}.expected`));
  });
});
