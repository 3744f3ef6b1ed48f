import { writeOptions } from '../../identity/write-options.js';
import type { Executor } from '../../support/context.js';

/** The VM stops being one of the cluster with the same write that restores its options. */
export const releaseVm: Executor<'release-vm'> = (step, context) => writeOptions(context, step);
