/** Each file in test/fixtures/config/broken has one mistake; its last lines say what must be said about it. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Diagnostic, formatDiagnostic } from './diagnostics.js';
import { loadConfig } from './load.js';

const folder = new URL('../../test/fixtures/config/broken/', import.meta.url);
const MARK = '# expect: ';

const cases = readdirSync(folder)
  .sort()
  .map((file) => {
    const lines = readFileSync(new URL(file, folder), 'utf8').split('\n');
    const isExpected = (line: string): boolean => line.startsWith(MARK);
    return {
      file,
      text: lines.filter((line) => !isExpected(line)).join('\n'),
      expected: lines.filter(isExpected).map((line) => line.slice(MARK.length)),
    };
  });

function summary({ line, column, severity, code, message, hint }: Diagnostic): string {
  return `${line}:${column} ${severity} ${code}: ${message}${hint === undefined ? '' : ` => ${hint}`}`;
}

describe('broken configs', () => {
  it('are many', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
    expect(cases.filter(({ expected }) => expected.length === 0)).toEqual([]);
  });

  it.each(cases)('$file', ({ file, text, expected }) => {
    const { config, diagnostics } = loadConfig({ path: file, text, readText: () => undefined });
    expect(diagnostics.map(summary)).toEqual(expected);
    expect(config === undefined).toBe(diagnostics.some((d) => d.severity === 'error'));
  });

  it.each(['literal-token.yaml', 'literal-password.yaml', 'literal-sealed-secrets-key.yaml'])(
    '%s: the secret is never shown',
    (file) => {
      const { text } = cases.find((each) => each.file === file) ?? expect.fail();
      const secret = /(?:token: root\S+?=|password: |\{ key: )([^ ,}]+)/.exec(text)?.[1] ?? expect.fail();
      const { diagnostics } = loadConfig({ path: file, text, readText: () => undefined });
      expect(diagnostics.map((d) => formatDiagnostic(d)).join('\n')).not.toContain(secret);
      expect(JSON.stringify(diagnostics)).not.toContain(secret);
    },
  );
});
