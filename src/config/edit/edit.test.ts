import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { removeKey, replaceScalar, setKey } from './edit.js';

const TEXT = `# our cluster
cluster: { name: pen,   kubernetes: v1.35.0 }   # renovate: kubernetes
talos:
    version:   'v1.13.9'    # keep
    factory: https://factory.talos.dev
nodes:
  cp: { role: controlplane }

# the end
`;

describe('replaceScalar', () => {
  it('keeps every other byte', () => {
    const once = replaceScalar(TEXT, ['cluster', 'kubernetes'], 'v1.36.0');
    const twice = replaceScalar(once, ['talos', 'version'], 'v1.14.1');
    expect(twice).toBe(TEXT.replace('v1.35.0', 'v1.36.0').replace('v1.13.9', 'v1.14.1'));
  });

  it('keeps Windows line ends', () => {
    const text = TEXT.replaceAll('\n', '\r\n');
    expect(replaceScalar(text, ['talos', 'version'], 'v1.14.1')).toBe(text.replace('v1.13.9', 'v1.14.1'));
  });

  it('writes any text so that it reads back', () => {
    const path = fc.constantFrom(['cluster', 'kubernetes'], ['talos', 'version'], ['talos', 'factory']);
    const value = fc.oneof(
      fc.string(),
      fc.constantFrom('yes', 'null', '1.10', 'a, b', '{x}', '# c', ': ', "it's", '', 'a: b', '*x', '- a'),
      fc.integer(),
      fc.boolean(),
    );
    fc.assert(
      fc.property(path, value, (where, what) => {
        const before = parse(TEXT);
        const after = parse(replaceScalar(TEXT, where, what));
        const [section = '', key = ''] = where;
        expect(after[section][key]).toBe(what);
        before[section][key] = what;
        expect(after).toEqual(before);
      }),
    );
  });

  it('refuses what is not a single value', () => {
    expect(() => replaceScalar(TEXT, ['nodes', 'cp'], 'x')).toThrow('`nodes.cp` is not a single value');
    expect(() => replaceScalar(TEXT, ['talos', 'nothing'], 'x')).toThrow('is not a single value');
    expect(() => replaceScalar('a: [', ['a'], 'x')).toThrow('not valid YAML');
    expect(() => replaceScalar('a: |\n  text\n', ['a'], 'x')).toThrow('is not a value on one line');
  });
});

describe('setKey and removeKey', () => {
  it('adds a key and keeps comments', () => {
    const text = setKey(TEXT, ['nodes', 'cp', 'talosVersion'], 'v1.14.1');
    expect(parse(text).nodes.cp).toEqual({ role: 'controlplane', talosVersion: 'v1.14.1' });
    for (const comment of ['# our cluster', '# renovate: kubernetes', '# keep', '# the end']) {
      expect(text).toContain(comment);
    }
  });

  it('adds a whole section', () => {
    const text = setKey(TEXT, ['policy', 'outage'], 'allow');
    expect(parse(text)).toEqual({ ...parse(TEXT), policy: { outage: 'allow' } });
  });

  it('replaces an existing value by its place', () => {
    expect(setKey(TEXT, ['talos', 'version'], 'v1.14.1')).toBe(TEXT.replace('v1.13.9', 'v1.14.1'));
  });

  it('removes a key', () => {
    const text = removeKey(TEXT, ['talos', 'factory']);
    expect(parse(text).talos).toEqual({ version: 'v1.13.9' });
    expect(() => removeKey(TEXT, ['talos', 'nothing'])).toThrow('`talos.nothing` is not a key');
  });

  it('does not put a key under a single value', () => {
    expect(() => setKey(TEXT, ['talos', 'version', 'x'], 1)).toThrow('`talos.version` is not a mapping');
  });
});
