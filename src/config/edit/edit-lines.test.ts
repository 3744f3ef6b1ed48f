/** Whatever an edit means, every other line of the file stays as it is, byte by byte. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type StyledText, styledYaml } from '../../../test/support/styled-yaml.js';
import { changeTexts, removeKey, setKey } from './edit.js';

type Place = StyledText['places'][number];

const chosen = fc.tuple(styledYaml, fc.nat()).map(([file, at]) => {
  const place = file.places[at % file.places.length];
  if (!place) throw new Error('a mapping has a key');
  return { file, place };
});

const value = fc.oneof(
  fc.constantFrom('pve1', 'yes', '1.10', 'a, b', '# c', "it's", '', 'a: b', '*x', '- a', 'two\nlines', ' x'),
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.array(fc.oneof(fc.constantFrom('pve1', 'pve2', 'a, b'), fc.integer()), { maxLength: 4 }),
);

/** With their ends; a last line without one gets it once another line follows. */
const linesOf = (text: string) =>
  `${text}${text.includes('\r\n') && !text.endsWith('\n') ? '\r' : ''}`.split('\n');

/** Lines of the old text that the new one does not have in their place. */
function changedLines(before: string, after: string): [number, number] {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  let first = 0;
  while (first < old.length && old[first] === fresh[first]) first += 1;
  let last = 0;
  while (last < old.length - first && old.at(-1 - last) === fresh.at(-1 - last)) last += 1;
  return [first, old.length - 1 - last];
}

function set(at: unknown, [key, ...rest]: readonly (string | number)[], to: unknown): unknown {
  if (key === undefined) return to;
  if (Array.isArray(at)) return at.map((item, i) => (i === key ? set(item, rest, to) : item));
  const entries = Object.entries(at ?? {});
  const isNew = !entries.some(([name]) => name === key);
  return Object.fromEntries([
    ...entries.map(([name, of]) => [name, name === key ? set(of, rest, to) : of]),
    ...(isNew ? [[key, set(undefined, rest, to)]] : []),
  ]);
}

const isMapping = ({ tree }: Place) => tree instanceof Map;

describe('an edit of any file', () => {
  it('of a key that exists changes the lines of that key only', () => {
    fc.assert(
      fc.property(chosen, value, ({ file: { text }, place }, to) => {
        const after = setKey(text, place.path, to);
        expect(parse(after)).toEqual(set(parse(text), place.path, to));
        if (after === text) return;
        const [first, last] = changedLines(text, after);
        expect(first).toBeGreaterThanOrEqual(place.lines[0]);
        expect(last).toBeLessThanOrEqual(place.lines[1]);
      }),
    );
  });

  it('that adds a key adds lines, or changes the one line of a flow mapping', () => {
    fc.assert(
      fc.property(chosen, value, fc.boolean(), ({ file: { text }, place }, to, deep) => {
        fc.pre(isMapping(place));
        const path = [...place.path, 'added', ...(deep ? ['below'] : [])];
        const after = setKey(text, path, to);
        expect(parse(after)).toEqual(set(parse(text), path, to));
        const [first, last] = changedLines(text, after);
        const added = linesOf(after).length - linesOf(text).length;
        if (added > 0) expect(last).toBeLessThan(first);
        else expect(last - first).toBe(0);
      }),
    );
  });

  it('that removes a key takes its lines, comments right above it, and nothing else', () => {
    fc.assert(
      fc.property(chosen, ({ file: { text }, place }) => {
        const after = removeKey(text, place.path);
        const [, last] = changedLines(text, after);
        expect(last).toBeLessThanOrEqual(place.lines[1] + 1);
        const left = new Set(linesOf(after));
        const own = (_: string, line: number) => line >= place.lines[0] - 2 && line <= place.lines[1] + 1;
        const gone = linesOf(text).filter((line, at) => !own(line, at) && !left.has(line));
        // Of a mapping that is empty now, its key's line says so.
        expect(gone.length).toBeLessThanOrEqual(1);
      }),
    );
  });

  it.each(['\n', '\r\n'])('of lists leaves all others as they are, with %j', (eol) => {
    const text = [
      'talos:',
      '  dns: [a,b]   # keep',
      '  patches:',
      '      all:',
      '        # of disks',
      '        - |  # first',
      '          machine: {install: {disk: /dev/sda}}',
      '        - "two"   ',
      '        - three # 3',
      'nodes: {cp: {hosts: [ a,b ]}, "x": {patches: [one,   two]}}',
    ].join(eol);
    const lists = [
      ['talos', 'patches', 'all'],
      ['nodes', 'x', 'patches'],
    ];
    const done = changeTexts(text, lists, (item) =>
      item.startsWith('machine') ? 'machine: {}\nmore: 1\n' : item === 'one' || item === 'two' ? '' : item,
    );
    expect(done.text.split(eol)).toEqual([
      'talos:',
      '  dns: [a,b]   # keep',
      '  patches:',
      '      all:',
      '        # of disks',
      '        - |  # first',
      '          machine: {}',
      '          more: 1',
      '        - three # 3',
      'nodes: {cp: {hosts: [ a,b ]}, "x": {}}',
    ]);
    expect(done.changed).toEqual([
      ['talos', 'patches', 'all', 0],
      ['talos', 'patches', 'all', 1],
      ['nodes', 'x', 'patches', 0],
      ['nodes', 'x', 'patches', 1],
    ]);
  });

  it('keeps the lines of items that stay in a list', () => {
    const text = 'a:\n  hosts:\n    - pve1   # fast\n    # old\n    -  "pve2"\n    - pve3\nb: [a,b]\n';
    expect(setKey(text, ['a', 'hosts'], ['pve1', 'pve4', 'pve3'])).toBe(
      'a:\n  hosts:\n    - pve1   # fast\n    # old\n    - pve4\n    - pve3\nb: [a,b]\n',
    );
  });
});
