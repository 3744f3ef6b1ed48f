import { effectiveValues } from '../../../formats/proxmox/vm-config.js';
import { sameVmOption } from '../../../formats/proxmox/vm-option.js';
import type { StepOf, ValueChange } from '../../../plan/steps.js';
import { transferProblem } from '../../support/component-health.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

export const setOptions: Executor<'set-options'> = async (step, context) => {
  const { vmid, host } = step;
  const state = await requireVm(context, host, vmid);
  const now = effectiveValues(state);
  const open = Object.entries(step.changes).filter(([key, { to }]) => !isSet(now, key, to));
  if (open.length === 0) return ALREADY;
  for (const [key, { from }] of open) {
    if (!sameVmOption(key, now[key], from)) {
      throw new StepError(
        'apply.changed',
        `${key} of VM ${vmid} is ${now[key] ?? '(none)'}, the plan found ${from ?? '(none)'}`,
        {
          advice: 'it was changed meanwhile; run plan again',
        },
      );
    }
  }
  const set = Object.fromEntries(open.flatMap(([key, { to }]) => (to === undefined ? [] : [[key, to]])));
  const remove = open.flatMap(([key, { to }]) => (to === undefined ? [key] : []));
  await context.client.updateVm(host, vmid, { set, delete: remove, digest: state.digest });
  const written = await requireVm(context, host, vmid);
  const unplugged = open.map(([key]) => key).filter((key) => /^net\d+$/.test(key) && key in written.pending);
  if (unplugged.length > 0) {
    throw new StepError(
      'apply.still-pending',
      `${unplugged.join(', ')} of VM ${vmid} did not change while it runs`,
      {
        advice: 'Proxmox keeps the change for the next start; run apply again, and it is restarted',
      },
    );
  }
  const after = effectiveValues(written);
  const wrong = open.find(([key, { to }]) => !isSet(after, key, to));
  if (wrong) throw verifyFailed(`${wrong[0]} of VM ${vmid} is ${after[wrong[0]] ?? '(none)'}`);
  // A VM that is off for another change cannot answer; its node must be Ready before the next one's turn.
  const runs = step.guest && (await context.client.vmStatus(host, vmid)).status === 'running';
  if (runs) await requireAnswer(step, step.guest.ip, context, open);
  return DONE;
};

function isSet(values: Readonly<Record<string, string>>, key: string, to: string | undefined): boolean {
  return to === undefined ? values[key] === undefined : sameVmOption(key, values[key], to);
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
    set: Object.fromEntries(before.flatMap(([key, { from }]) => (from === undefined ? [] : [[key, from]]))),
    delete: before.flatMap(([key, { from }]) => (from === undefined ? [key] : [])),
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
