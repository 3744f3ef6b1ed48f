import { isProxmoxError } from '../../../clients/proxmox/errors.js';
import { netsOf } from '../../../formats/proxmox/nets-of.js';
import { sameVmOption } from '../../../formats/proxmox/vm-option.js';
import type { StepOf, ValueChange } from '../../../plan/steps.js';
import { transferProblem } from '../../support/component-health.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { requireBridges } from '../../support/host-preflight.js';
import { requireVm, StepError } from '../../support/read-vm.js';
import { asUpdate, writeOptions } from '../../support/write-options.js';

export const setOptions: Executor<'set-options'> = async (step, context) => {
  const { vmid, host } = step;
  const nets = Object.entries(step.changes).flatMap(([key, { to }]) => (to === undefined ? [] : [[key, to]]));
  await requireBridges(host, netsOf(Object.fromEntries(nets)), `refusing to change VM ${vmid}`, context);
  const written = await replugging(step, context, () =>
    writeOptions(context, step, {
      isSet: (key, now, to) => (to === undefined ? now === undefined : sameVmOption(key, now, to)),
      isPlanned: sameVmOption,
      advice: 'it was changed meanwhile; run plan again',
    }),
  );
  if (!written) return ALREADY;
  const { changes, state } = written;
  const unplugged = changes.map(([key]) => key).filter((key) => /^net\d+$/.test(key) && key in state.pending);
  if (unplugged.length > 0) {
    throw new StepError(
      'apply.still-pending',
      `${unplugged.join(', ')} of VM ${vmid} did not change while it runs`,
      { advice: 'Proxmox keeps the change for the next start; run apply again, and it is restarted' },
    );
  }
  // A VM that is off for another change cannot answer; its node must be Ready before the next one's turn.
  const runs = step.guest && (await context.client.vmStatus(host, vmid)).status === 'running';
  if (runs) await requireAnswer(step, step.guest.ip, context, changes);
  return DONE;
};

/** Proxmox unplugs a NIC before it plugs the changed one: if it refuses that one, the VM gets the old one back. */
async function replugging<T>(
  step: StepOf<'set-options'>,
  context: StepContext,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!step.guest || !isProxmoxError(error)) throw error;
    const why = Object.values(error.errors).find((text) => /^hotplug problem/.test(text));
    if (why === undefined) throw error;
    const { vmid, host } = step;
    const { digest } = await requireVm(context, host, vmid);
    const before = Object.entries(step.changes).filter(([key]) => /^net\d+$/.test(key));
    await context.client.updateVm(host, vmid, {
      ...asUpdate(before.map(([key, { from }]) => [key, from])),
      digest,
    });
    const keys = before.map(([key]) => key).join(', ');
    throw new StepError(
      'apply.network',
      `Proxmox does not plug the new ${keys} of VM ${vmid}: ${why.trim()}; ${keys} was restored`,
      { advice: 'correct bridge, VLAN or MTU in oxherd.yaml and run apply again', cause: error },
    );
  }
}

/** Long enough to find addresses and neighbours again. */
const ANSWER_WITHIN_MS = 2 * 60_000;
const ASK_EVERY_MS = 5_000;

/** Talos knows nothing of a wrong bridge, VLAN or MTU of its VM: who wrote it takes it back. */
async function requireAnswer(
  step: StepOf<'set-options'>,
  ip: string,
  context: StepContext,
  written: readonly (readonly [string, ValueChange])[],
): Promise<void> {
  if (!context.machines) return;
  const deadline = context.clock.elapsed() + ANSWER_WITHIN_MS;
  let why = await transferProblem({ node: step.node ?? '', ip }, context);
  while (why !== undefined && context.clock.elapsed() < deadline) {
    context.progress(why);
    await context.clock.sleep(ASK_EVERY_MS, context.signal);
    why = await transferProblem({ node: step.node ?? '', ip }, context);
  }
  if (why === undefined) return;
  const { vmid, host } = step;
  const before = written.filter(([key]) => /^net\d+$/.test(key));
  const { digest } = await requireVm(context, host, vmid);
  await context.client.updateVm(host, vmid, {
    ...asUpdate(before.map(([key, { from }]) => [key, from])),
    digest,
  });
  const keys = before.map(([key]) => key).join(', ');
  throw new StepError(
    'apply.network',
    `network of ${step.node ?? `VM ${vmid}`} does not work with the new ${keys}: ${why}; ${keys} of VM ${vmid} was restored`,
    {
      advice:
        'correct bridge, VLAN or MTU in oxherd.yaml and run apply again; the other nodes were left alone',
    },
  );
}
