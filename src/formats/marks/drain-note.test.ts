import { describe, expect, it } from 'vitest';
import { notedDrain, withDrainNote, withoutDrainNote } from './drain-note.js';

const TEXT = 'data of work-1\nintended host pve2\n\nvolume 0x5000000000000001 logs';

describe('the note of a drain', () => {
  it('stands below the intended host, and goes without a trace', () => {
    const noted = withDrainNote(TEXT, { host: 'pve2', until: '2026-11-16T02:00:00Z', run: 'r1' });
    expect(noted.split('\n')[2]).toBe('drained-from pve2 until 2026-11-16T02:00:00Z run r1');
    expect(notedDrain(noted)).toEqual({ host: 'pve2', until: '2026-11-16T02:00:00Z', run: 'r1' });
    expect(withoutDrainNote(noted)).toBe(TEXT);
  });

  it('is one, whoever drained last', () => {
    const twice = withDrainNote(withDrainNote(TEXT, { host: 'pve2' }), { host: 'pve3', run: 'r2' });
    expect(notedDrain(twice)).toEqual({ host: 'pve3', run: 'r2' });
    expect(withoutDrainNote(twice)).toBe(TEXT);
  });

  it('needs no intended host, and is not found where people wrote something like it', () => {
    expect(withDrainNote('mine', { host: 'pve1' })).toBe('mine\ndrained-from pve1');
    expect(notedDrain('this was drained-from pve1 once')).toBeUndefined();
    expect(notedDrain('')).toBeUndefined();
  });
});
