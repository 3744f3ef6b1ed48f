import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { adoptionNoteIn, configMark, keepAdoptionNote, printAdoptionNote } from './adoption-note.js';

describe('the note of an adoption', () => {
  it('gives every option back, whatever is in it', () => {
    const key = fc.stringMatching(/^[a-z]{2,8}\d?$/);
    const value = fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined });
    fc.assert(
      fc.property(fc.dictionary(key, value), fc.string({ unit: 'grapheme' }), (options, text) => {
        const before = new Map(Object.entries(options));
        const line = printAdoptionNote({ before, mark: '0123456789abcdef' });
        expect(line).not.toMatch(/\n/);
        const read = adoptionNoteIn(`${text.replaceAll('adopted', '')}\n${line}\nintended host pve1`);
        expect(read?.mark).toBe('0123456789abcdef');
        expect(new Map(read?.before)).toEqual(before);
      }),
      { seed: 2026, numRuns: 200 },
    );
  });

  it('stays in another description', () => {
    const line = printAdoptionNote({ before: new Map([['tags', 'k8s;worker']]), mark: 'a'.repeat(16) });
    expect(keepAdoptionNote('new text', `old text\n${line}\napplied`)).toBe(`new text\n${line}`);
    expect(keepAdoptionNote('new text', 'old text')).toBe('new text');
    expect(adoptionNoteIn('adopted by hand')).toBeUndefined();
  });

  it('has a mark that only a change of meaning changes', () => {
    const values = { cores: '2', tags: 'b;a', scsi0: 'local:vm-1-disk-0,ssd=1,size=5G', description: 'x' };
    const same = { ...values, tags: 'a;b', scsi0: 'local:vm-1-disk-0,size=5G,ssd=1', description: 'y' };
    expect(configMark(same)).toBe(configMark(values));
    expect(configMark({ ...values, cores: '4' })).not.toBe(configMark(values));
    expect(configMark({ ...values, scsi0: 'local:vm-1-disk-0,ssd=1,size=6G' })).not.toBe(configMark(values));
  });
});
