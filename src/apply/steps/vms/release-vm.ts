import { writeExactOptions } from '../../identity/exact-options.js';
import type { Executor } from '../../support/context.js';

/** The VM stops being one of the cluster with the same write that restores its options. */
export const releaseVm: Executor<'release-vm'> = (step, context) => writeExactOptions(context, step);
