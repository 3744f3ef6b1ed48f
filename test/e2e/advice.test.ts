/** A sample of the advice property; all situations are in test/exhaustive/advice.test.ts. */
import { expect, it } from 'vitest';
import { adviceFaults } from '../support/advice.js';
import { VM_SITUATIONS } from '../support/advice-cases/vms.js';

it.each(VM_SITUATIONS.slice(0, 3).map((one) => [one.name, one] as const))('%s', async (_, situation) => {
  expect((await adviceFaults(situation)).join('\n')).toBe('');
});
