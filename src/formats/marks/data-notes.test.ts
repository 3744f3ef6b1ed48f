import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Wwn } from '../../model/identity.js';
import { type EtcdNote, parseDataNotes, printDataNotes, textOfDescription } from './data-notes.js';

const wwn = fc
  .bigInt({ min: 0n, max: 2n ** 60n - 1n })
  .map((n) => `0x3${n.toString(16).padStart(15, '0')}` as Wwn);
const entries = fc
  .array(fc.tuple(wwn, fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/)), { maxLength: 6 })
  .map((list) => new Map(list));

const etcd = fc.option(
  fc.constantFrom<EtcdNote>(
    { state: 'member' },
    { state: 'left' },
    { state: 'fresh' },
    { state: 'restore' },
    { state: 'removed' },
    { state: 'removed', memberId: '8e9e05c52164694d' },
  ),
  { nil: undefined },
);

describe('notes on a data VM', () => {
  it('come back as they were written, whatever else the description says', () => {
    fc.assert(
      fc.property(
        entries,
        entries,
        etcd,
        fc.constantFrom('', 'Data VM for 141', 'two\n\nlines'),
        (names, first, member, text) => {
          const firstNames = new Map(
            [...names.keys()].flatMap((key) => {
              const name = first.get(key);
              return name === undefined || name === names.get(key) ? [] : [[key, name] as const];
            }),
          );
          const notes = {
            names,
            ...(firstNames.size > 0 && { firstNames }),
            ...(member && { etcd: member }),
          };
          const printed = printDataNotes(text, notes);
          expect(parseDataNotes(printed)).toEqual(notes);
          expect(textOfDescription(printed)).toBe(text.trimEnd());
        },
      ),
    );
  });

  it('do not depend on the order in which volumes were named', () => {
    const a = ['0x3000000000000001', 'logs'] as [Wwn, string];
    const b = ['0x3000000000000002', 'data'] as [Wwn, string];
    const print = (names: [Wwn, string][]) => printDataNotes('x', { names: new Map(names) });
    expect(print([a, b])).toBe(print([b, a]));
  });

  it('know nothing of a deletion that 0.1.0 noted, and drop it', () => {
    const description =
      'Data VM\n\nvolume 0x3000000000000001 logs\ndeleting 0x3000000000000001 zfs:vm-1510-disk-1';
    expect(parseDataNotes(description)).toEqual({ names: new Map([['0x3000000000000001', 'logs']]) });
    expect(textOfDescription(description)).toBe('Data VM');
  });
});
