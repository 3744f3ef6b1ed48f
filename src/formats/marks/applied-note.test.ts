import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appliedMarks, markOf, withAppliedNote, withoutAppliedNote } from './applied-note.js';
import { notedHost, withHostNote } from './host-note.js';

const text = fc
  .array(fc.stringMatching(/^[a-z0-9 .:-]{0,30}$/), { maxLength: 3 })
  .map((lines) => lines.join('\n').trimEnd())
  .filter((lines) => !lines.includes('applied'));
const options = fc.dictionary(fc.stringMatching(/^[a-z]{2,8}\d?$/), fc.stringMatching(/^[a-z0-9]{1,12}$/));

describe('what was applied', () => {
  it('is found again for every option, below whatever else the description says', () => {
    fc.assert(
      fc.property(text, options, (description, values) => {
        const { description: _, ...wanted } = values;
        const noted = withAppliedNote(description, wanted);
        expect(withoutAppliedNote(noted)).toBe(description);
        const marks = appliedMarks(noted);
        for (const [key, value] of Object.entries(wanted)) expect(marks?.get(key)).toBe(markOf(key, value));
        expect(marks?.get('description')).toBe(markOf('description', description));
        expect(marks?.size).toBe(Object.keys(wanted).length + 1);
      }),
    );
  });

  it('stands beside the note of the host', () => {
    const noted = withAppliedNote(withHostNote('Talos Worker', 'pve2'), { cores: 4 });
    expect(noted).toMatch(
      /^Talos Worker\nintended host pve2\napplied cores=[0-9a-f]{6} description=[0-9a-f]{6}$/,
    );
    expect(notedHost(noted)).toBe('pve2');
  });

  it('is the same for values that mean the same, and another for others', () => {
    expect(markOf('tags', 'b;a')).toBe(markOf('tags', 'a;b'));
    expect(markOf('agent', '1')).toBe(markOf('agent', 'enabled=1,type=virtio'));
    expect(markOf('onboot', undefined)).toBe(markOf('onboot', 0));
    expect(markOf('cores', 2)).not.toBe(markOf('cores', 3));
  });

  it('is unknown where someone wrote something else', () => {
    expect(appliedMarks('mine now')).toBeUndefined();
    expect(appliedMarks('applied for a job')).toBeUndefined();
    expect(appliedMarks(undefined)).toBeUndefined();
  });
});
