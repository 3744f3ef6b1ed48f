import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { YamlWriter } from './write-yaml.js';

const word = fc.constantFrom(
  'off',
  'Yes',
  'n',
  'null',
  '~',
  '1e3',
  '0x1f',
  '.5',
  '12:30',
  '2026-11-15',
  'a: b',
  'a:',
  '- a',
  '#a',
  ' a',
  'a ',
  '@a',
  '',
  '1_000',
  '0o7',
  '=',
  '<<',
  '10.0.0.1',
  '10.0.0.0/8',
  '!10.0.0.1/32',
  'naa.3abc',
  'disk.wwid == "naa.3"',
  'https://a.b:6443',
  'x:y',
  '\u2028',
  '\u0085',
  'a\tb',
);
const lines = fc
  .array(fc.oneof(word, fc.string()), { minLength: 2, maxLength: 4 })
  .map((parts) => parts.join('\n'));
const leaf = fc.oneof(word, fc.string(), lines, fc.integer(), fc.boolean(), fc.constant(null));
const key = fc.oneof(word, fc.string()).filter((text) => text !== '__proto__' && text !== '<<');
/** Three levels are enough to meet every nesting of lists and mappings. */
const nest = (inner: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc.oneof(
    leaf,
    fc.array(inner, { maxLength: 3 }),
    fc.dictionary(key, inner, { maxKeys: 3, noNullPrototype: true }),
  );
const mapping = fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), nest(nest(nest(leaf))), {
  minKeys: 1,
  maxKeys: 3,
  noNullPrototype: true,
});

describe('YAML for Go', () => {
  it('comes back as it was, to readers of YAML 1.2 and of 1.1', () => {
    fc.assert(
      fc.property(mapping, (value) => {
        const text = new YamlWriter().write([value]);
        expect(parse(text)).toEqual(value);
      }),
      { numRuns: 200, endOnFailure: true },
    );
    for (const text of ['off', 'Yes', 'n', '0o7', '1_000', '12:30', '2026-11-15']) {
      expect(parse(new YamlWriter().write([{ a: text }]), { version: '1.1' })).toEqual({ a: text });
    }
  });

  it('writes shared parts the same, and documents apart', () => {
    const shared = { key: [{ name: 'x', list: ['a', 'b'] }], text: 'one\ntwo\n' };
    const documents = [{ machine: { shared } }, { cluster: { shared } }];
    const text = new YamlWriter().write(documents);
    expect(parseAllDocuments(text).map((document) => document.toJS())).toEqual(documents);
    expect(text).toContain('        text: |\n            one\n            two\n');
  });
});
