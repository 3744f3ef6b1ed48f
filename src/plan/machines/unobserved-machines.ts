import type { Observed } from '../../observe/observed.js';
import { visibleVm } from '../../observe/observed-vms.js';
import type { Plan } from '../plan.js';

/**
 * Machines that this plan could not compare with oxherd.yaml: they were off or did not answer, and may have come up with
 * a config and a Talos of their own since. A new VM has neither, and one in maintenance mode was given both.
 */
export function unobservedMachines(plan: Pick<Plan, 'steps'>, observed: Observed): string[] {
  return plan.steps.flatMap((step) => {
    if (step.kind !== 'configure-machine' || step.node === undefined || !visibleVm(observed, step.vmid))
      return [];
    const presence = observed.machines[step.node]?.presence;
    return presence === 'off' || presence === 'absent' ? [step.node] : [];
  });
}
