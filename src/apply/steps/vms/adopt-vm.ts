import { parseDrive } from '../../../formats/proxmox/property-string.js';
import { effectiveValues } from '../../../formats/proxmox/vm-config.js';
import { writeExactOptions } from '../../identity/exact-options.js';
import type { Executor } from '../../support/context.js';
import { checkIdentity } from '../../support/machine-identity.js';
import { adminOf } from '../../support/machine-wait.js';
import { requireVm, StepError } from '../../support/read-vm.js';

/** The machine says once more which VM it is, and each drive still has the volume that the plan found there. */
export const adoptVm: Executor<'adopt-vm'> = async (step, context) => {
  const { vmid, host, machine, volumes, node } = step;
  if (machine) {
    await checkIdentity(adminOf(context, machine.ip), { ...machine, ...(node !== undefined && { node }) });
  }
  const now = effectiveValues(await requireVm(context, host, vmid));
  for (const [slot, file] of Object.entries(volumes)) {
    const there = now[slot] === undefined ? undefined : parseDrive(now[slot]).file;
    if (there === file) continue;
    throw new StepError(
      'apply.changed',
      `${slot} of VM ${vmid} is ${there ?? 'empty'}, the plan found ${file}`,
      {
        advice: 'it was changed meanwhile; nothing was written, run adopt again',
      },
    );
  }
  return writeExactOptions(context, step);
};
