import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDiagnostic } from '../diagnostics.js';
import { decodeUtf8 } from './decode-text.js';
import { readYamlSource } from './yaml-source.js';

const codesOf = (text: string): string[] => readYamlSource('x.yaml', text).diagnostics.map((d) => d.code);

describe('readYamlSource', () => {
  it.each(['', '\n\n', '# only a comment\n', '---\n'])('an empty file: %j', (text) => {
    expect(codesOf(text)).toEqual(['yaml.empty']);
  });

  it('reads anchors, aliases and merge keys', () => {
    const text = 'a: &big { memory: 8GiB, cores: 4 }\nb: { <<: *big, cores: 8 }\nc: *big\n';
    const { source } = readYamlSource('x.yaml', text);
    expect(source?.raw).toEqual({
      a: { memory: '8GiB', cores: 4 },
      b: { memory: '8GiB', cores: 8 },
      c: { memory: '8GiB', cores: 4 },
    });
    // The place where the text stands that is to be changed.
    expect(source?.positionOf(['b', 'memory'])).toMatchObject({ line: 1, column: 19 });
    expect(source?.positionOf(['b', 'cores'])).toMatchObject({ line: 2, column: 23 });
    expect(source?.positionOf(['c'])).toMatchObject({ line: 3, column: 4 });
  });

  it('stops at aliases of aliases of aliases', () => {
    const lines = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh']) {
      lines.push(`${to}: &${to} [${Array(10).fill(`*${from}`).join(', ')}]`);
    }
    expect(codesOf(lines.join('\n'))).toEqual(['yaml.too-large']);
  });

  it('stops at an alias inside its own anchor', () => {
    expect(codesOf('a: &a { b: *a }\n')).toEqual(['yaml.alias']);
  });

  it('does not read 5 MB', () => {
    const { diagnostics } = readYamlSource('x.yaml', 'a: 1\n'.repeat(1_000_000));
    expect(diagnostics.map((d) => formatDiagnostic(d))).toEqual([
      'x.yaml:1:1 error the file has 5.0 MB; a config has at most 2 MB',
    ]);
  });

  it('finds a duplicate among very many keys', () => {
    const keys = Array.from({ length: 20_000 }, (_, i) => `k${i}: 1`);
    expect(codesOf([...keys, 'k7: 2'].join('\n'))).toEqual(['yaml.duplicate-key']);
  });

  it.each([
    ['blocks', Array.from({ length: 1000 }, (_, i) => `${' '.repeat(i)}a:`).join('\n')],
    ['lists', '['.repeat(50_000)],
    ['mappings', '{a: '.repeat(20_000)],
    ['closed lists', `${'['.repeat(5000)}${']'.repeat(5000)}`],
  ])('does not fall over deep %s', (_, text) => {
    expect(codesOf(text).length).toBeGreaterThan(0);
  });

  it('covers secrets in frames, whatever their form', () => {
    for (const text of [
      'proxmox: { token: hunter22, endpoint: 1\n',
      'proxmox:\n  token: |\n    hunter22\n  token: x\n',
      'proxmox: { "my-secret": "hunter22", "my-secret": 1 }\n',
      'a: &x hunter22\nb: { password: *x, c: 1, c: 2 }\n',
    ]) {
      const { diagnostics } = readYamlSource('x.yaml', text);
      expect(diagnostics.length).toBeGreaterThan(0);
      expect(JSON.stringify(diagnostics)).not.toContain('hunter22');
    }
  });

  it.each(['__proto__: { cores: 4 }\n', 'nodes:\n  __proto__: { role: worker }\n'])(
    'refuses the key `__proto__`, which a schema would leave out: %j',
    (text) => {
      const { diagnostics } = readYamlSource('x.yaml', text);
      expect(diagnostics).toMatchObject([
        { code: 'yaml.key', message: expect.stringContaining('__proto__') },
      ]);
    },
  );

  it('never throws, and always has a place', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        ': ',
        '- ',
        '\n',
        '  ',
        '{',
        '}',
        '[',
        ']',
        '&a ',
        '*a',
        '!t ',
        '|',
        '>',
        '"',
        "'",
        '#',
        '\t',
        '?',
        '%',
        '---\n',
        '\u0000',
        'é',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        const { source, diagnostics } = readYamlSource('x.yaml', pieces.join(''));
        expect(source === undefined).toBe(diagnostics.length > 0);
        for (const { line, column } of diagnostics) {
          expect(line).toBeGreaterThan(0);
          expect(column).toBeGreaterThan(0);
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('decodeUtf8', () => {
  it('reads UTF-8 and drops a byte order mark', () => {
    expect(decodeUtf8(new Uint8Array([0xef, 0xbb, 0xbf, 0x61]))).toBe('a');
  });

  it.each([[[0x61, 0xe9]], [[0xff, 0xfe, 0x61, 0x00]]])('refuses %j', (bytes) => {
    expect(decodeUtf8(new Uint8Array(bytes))).toBeUndefined();
  });
});
