import { expect, it } from 'vitest';
import { notesTemplateProblem, writeNotes } from './notes-template.js';

it('takes four variables and two escapes', () => {
  expect(notesTemplateProblem('{{guestname}} {{vmid}}\\n{{node}}\\\\{{cluster}}')).toBeUndefined();
  expect(notesTemplateProblem('{{foo}}')).toBe("found unknown: variable 'foo' at char 4\n");
  expect(notesTemplateProblem('a\\tb')).toBe("found unknown: escape sequence '\\t' at char 1\n");
  expect(notesTemplateProblem('a\nb')).toBe('contains a line feed\n');
});

it('writes what they stand for', () => {
  const values = { cluster: 'lab', guestname: 'web', node: 'pve1', vmid: '100' };
  expect(writeNotes('{{guestname}}\\n{{vmid}} on {{node}} \\\\ {{foo}}', values)).toBe(
    'web\n100 on pve1 \\ {{foo}}',
  );
});
