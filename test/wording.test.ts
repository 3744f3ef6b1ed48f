/** Messages do not point at pages that the package does not contain. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { lineAt, stringLiterals } from './support/string-literals.js';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');

function sources(folder: string, wanted = /(?<!\.test)\.ts$/): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory())
      return /^(?:fixtures|gen|test-support)$/.test(entry.name) ? [] : sources(path, wanted);
    return wanted.test(entry.name) ? [path] : [];
  });
}

describe('string literals', () => {
  it('are found in strings and in the fixed parts of templates', () => {
    const source = [
      `const a = 'one', b = /'no'/.test(a) ? 4 / 2 : \`two \${a ? \`three \${{ b: 1 }.b}\` : 'four'} five\`;`,
      '// "no"',
      'const c = "six";',
    ].join('\n');
    const found = stringLiterals(source).map(({ at, text }) => [lineAt(source, at), text]);
    expect(found).toEqual([
      ...['one', 'two ', 'three ', '', 'four', ' five'].map((text) => [1, text]),
      [3, 'six'],
    ]);
  });
});

describe('messages and help', () => {
  it('name no page of docs/: the package has none', () => {
    const found = sources(join(ROOT, 'src')).flatMap((path) => {
      const source = readFileSync(path, 'utf8');
      if (!/docs\/[\w-]+\.md/.test(source)) return [];
      return stringLiterals(source)
        .filter(({ text }) => /docs\/[\w-]+\.md/.test(text))
        .map(({ at }) => `${relative(ROOT, path)}:${lineAt(source, at)}`);
    });
    expect(found).toEqual([]);
  });
});
