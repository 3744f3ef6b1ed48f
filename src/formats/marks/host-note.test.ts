import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printDataNotes, textOfDescription } from './data-notes.js';
import { notedHost, withHostNote } from './host-note.js';

describe('the note of the intended host', () => {
  it('is found again below whatever else a description says', () => {
    const host = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
    const text = fc.string().filter((value) => notedHost(value) === undefined);
    fc.assert(
      fc.property(text, host, (description, name) => {
        expect(notedHost(withHostNote(description, name))).toBe(name);
      }),
    );
  });

  it('stays when the lines of volumes are written again', () => {
    const notes = { names: new Map(), deleting: new Map() };
    const description = printDataNotes(withHostNote('Data VM', 'pve2'), notes);
    expect(notedHost(printDataNotes(textOfDescription(description), notes))).toBe('pve2');
  });

  it('is absent on a VM that no one noted anything on', () => {
    expect(notedHost('Talos Worker, intended host unknown to me')).toBeUndefined();
    expect(withHostNote(undefined, 'pve1')).toBe('intended host pve1');
  });
});
