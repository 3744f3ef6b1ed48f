/** The guard of a run whose outage was confirmed: nothing but identity and lock is asked. */
import type { RunGuard } from '../../../src/apply/support/context.js';

export const CONFIRMED: RunGuard = {
  rules: () => ({ kind: 'confirmed' }),
  lock: { open: async () => {} },
  disrupted: new Set(),
};
