import { effectiveValues } from '../../formats/vm-config.js';
import { sameVmOption } from '../../formats/vm-option.js';
import { ALREADY, DONE, type Executor } from '../support/context.js';
import { requireVm, StepError, verifyFailed } from '../support/read-vm.js';

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
          advice: 'somebody changed it meanwhile; run plan again',
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
  return DONE;
};

function isSet(values: Readonly<Record<string, string>>, key: string, to: string | undefined): boolean {
  return to === undefined ? values[key] === undefined : sameVmOption(key, values[key], to);
}
