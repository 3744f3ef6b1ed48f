import type { StepOf } from '../../../plan/steps.js';
import { permitDown } from '../../guard/guard.js';
import { requireIdentities, startAgain } from '../../identity/cold-start.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { checkIdentity } from '../../support/machine-identity.js';
import { adminOf, detailsOf, until, whenUp } from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';

const UPGRADE_TIMEOUT_MS = 20 * 60_000;

/** A boot loader that does not like the new version starts the old one again: that is an error, and the roll stops. */
export const upgradeTalos: Executor<'upgrade-talos'> = async (step, context) => {
  const talos = adminOf(context, step.ip);
  const before = await whenUp(context, step, () => detailsOf(context, step.ip, step.role));
  await checkIdentity(talos, step);
  const wantedSchematic = /\/([0-9a-f]{64}):/.exec(step.image)?.[1];
  const isNew = (details: typeof before) =>
    details.talosVersion === step.to &&
    details.schematic.known &&
    (details.schematic.value === undefined || details.schematic.value === wantedSchematic);
  if (!before.schematic.known)
    throw new StepError(
      'apply.unread',
      `the schematic of ${step.node} could not be read: ${before.schematic.why}`,
      { advice: 'run apply again' },
    );
  if (isNew(before)) return ALREADY;
  // Before 1.13 the call itself reboots the machine.
  const permit = await permitDown(context, step);
  const { rebooting } = await talos.down.upgrade(permit, step.image, (line) => context.progress(line));
  const { coldStart } = step;
  if (!rebooting && coldStart) await startAgain(context, step, coldStart);
  else if (!rebooting) await talos.down.reboot(await permitDown(context, step));
  await untilUpgraded(step, context, isNew);
  // Before 1.13 an upgrade reboots by itself, and QEMU goes on.
  if (rebooting && coldStart) {
    await startAgain(context, step, coldStart);
    await untilUpgraded(step, context, isNew);
  }
  if (coldStart) await requireIdentities(adminOf(context, step.returnsAt ?? step.ip), step, coldStart);
  return DONE;
};

async function untilUpgraded(
  step: StepOf<'upgrade-talos'>,
  context: StepContext,
  isNew: (details: Awaited<ReturnType<typeof detailsOf>>) => boolean,
): Promise<void> {
  // A VM that was stopped is away already.
  let wasAway = step.coldStart !== undefined;
  await until(
    context,
    {
      timeoutMs: UPGRADE_TIMEOUT_MS,
      timeout: (last) =>
        new StepError('apply.machine-absent', `${step.node} did not return from its upgrade: ${last}`, {
          advice: `look at the console of VM ${step.vmid}; the other nodes were left alone`,
        }),
    },
    async (waiting) => {
      const ip = await answeringAt(step, context);
      if (ip === undefined) {
        wasAway = true;
        waiting('it reboots');
        return undefined;
      }
      // An address that it did not have before is not yet its own.
      if (ip !== step.ip) await checkIdentity(adminOf(context, ip), { ...step, ip });
      const details = await detailsOf(context, ip, step.role);
      if (details.stage !== 'running') {
        wasAway = true;
        waiting(`it is ${details.stage}`);
        return undefined;
      }
      if (isNew(details)) return true;
      if (!wasAway || !details.schematic.known) {
        waiting(details.schematic.known ? 'it is about to reboot' : details.schematic.why);
        return undefined;
      }
      throw new StepError(
        'apply.fell-back',
        `${step.node} booted ${details.talosVersion} again instead of ${step.to}`,
        {
          advice: `its boot loader fell back: see talosctl -n ${ip} dmesg; the other nodes were left alone`,
        },
      );
    },
  );
}

/** Its old address, or the one that its config gives it at this boot. */
async function answeringAt(step: StepOf<'upgrade-talos'>, context: StepContext): Promise<string | undefined> {
  for (const ip of [step.ip, step.returnsAt]) {
    if (ip !== undefined && (await context.machines?.talos.probe(ip)) !== 'absent') return ip;
  }
  return undefined;
}
