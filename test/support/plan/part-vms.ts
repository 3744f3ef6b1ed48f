import type { ObservedVm } from '../../../src/observe/observed.js';
import { completeVms, type ObservedVms } from '../../../src/observe/observed-vms.js';
import { type Part, partOf } from '../part-of.js';

/** VMs of which only these parts matter to a test; no others exist. */
export function partVms(...vms: readonly Part<ObservedVm>[]): ObservedVms {
  return completeVms(vms.map((vm) => partOf<ObservedVm>(vm)));
}
