import { expect, it } from 'vitest';
import { lockAdvice } from './vm-lock.js';

it('resumes a suspended VM: unlocking it would discard its memory', () => {
  expect(lockAdvice(151, 'suspended')).toBe('resume it, which keeps its memory: qm start 151');
});

it.each(['backup', 'migrate', 'suspending'])('unlocks after %s only if no task runs', (lock) => {
  expect(lockAdvice(151, lock)).toMatch(
    new RegExp(`until the ${lock} is done.*no task runs.*qm unlock 151$`),
  );
});
