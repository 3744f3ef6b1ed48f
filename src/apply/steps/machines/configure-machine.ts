import type { Presence } from '../../../clients/talos/probe.js';
import { RESOURCES } from '../../../clients/talos/resources.js';
import { machineConfigHash } from '../../../design/machine-config/meaning.js';
import type { StepOf } from '../../../plan/steps.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { checkIdentity } from '../../support/machine-identity.js';
import { adminOf, needMachines, plannedConfig, until } from '../../support/machine-wait.js';
import { StepError } from '../../support/read-vm.js';

const BOOT_TIMEOUT_MS = 10 * 60_000;
/** A first boot takes a minute or two; seen to hang in one of twelve at `downloading config`. */
const HANGS_AFTER_MS = 4 * 60_000;
const CONFIG_TIMEOUT_MS = 15 * 60_000;

/** Waits until the machine is up; gives it its config if it waits for one; waits until it runs with it. */
export const configureMachine: Executor<'configure-machine'> = async (step, context) => {
  const { presence, address } = await awaitPresence(step, context);
  if (presence === 'configured') {
    await checkIdentity(adminOf(context, step.ip), step);
    await checkConfig(step, context);
    return ALREADY;
  }
  const { talos } = needMachines(context);
  const config = plannedConfig(context, step);
  const because = `we started VM ${step.vmid}, and it answers at ${address}`;
  const machine = talos.maintenance(address, because);
  await checkIdentity(machine, step);
  await proveSelectors(step, machine);
  const { warnings } = await machine.applyConfiguration(config, { mode: 'auto' });
  context.progress('it has its config');
  await until(
    context,
    {
      timeoutMs: CONFIG_TIMEOUT_MS,
      timeout: (last) => neverCame(step, `it accepted its config and is not reachable since (${last})`),
    },
    async (waiting) => {
      const state = await talos.probe(step.ip);
      if (state === 'configured') return true;
      waiting(state === 'absent' ? 'it installs or reboots' : 'it is still in maintenance mode');
      return undefined;
    },
  );
  await checkConfig(step, context, config);
  return { ...DONE, warnings };
};

async function awaitPresence(
  step: StepOf<'configure-machine'>,
  context: StepContext,
): Promise<{ presence: Exclude<Presence, 'absent'>; address: string }> {
  const { talos, addressOf } = needMachines(context);
  const begun = context.clock.elapsed();
  return until(
    context,
    { timeoutMs: BOOT_TIMEOUT_MS, timeout: () => neverCame(step, `no answer from ${step.ip}:50000`) },
    async (waiting) => {
      const presence = await talos.probe(step.ip);
      if (presence !== 'absent') return { presence, address: step.ip };
      const elsewhere = await addressOf(step.node ?? '');
      if (elsewhere !== undefined) return { presence: 'maintenance' as const, address: elsewhere };
      const hangs = context.clock.elapsed() - begun >= HANGS_AFTER_MS;
      waiting(
        `waiting for ${step.ip} to answer${hangs ? ` since ${HANGS_AFTER_MS / 60_000} minutes; ${resetAdvice(step)}` : ''}`,
      );
      return undefined;
    },
  );
}

/** A wrong disk would look like success: before the first config each selector must find its one disk. */
async function proveSelectors(
  step: StepOf<'configure-machine'>,
  machine: { list(kind: (typeof RESOURCES)['disks']): Promise<readonly { spec: unknown }[]> },
): Promise<void> {
  const wwids = (await machine.list(RESOURCES.disks)).map(({ spec }) =>
    typeof spec === 'object' && spec !== null && 'wwid' in spec ? String(spec.wwid) : '',
  );
  for (const wwid of step.wwids) {
    const found = wwids.filter((candidate) => candidate === wwid).length;
    if (found === 1) continue;
    throw new StepError(
      'apply.selector',
      `${found === 0 ? 'no disk' : `${found} disks`} of VM ${step.vmid} has the identity ${wwid}`,
      {
        advice: `nothing was written; look at the disks of VM ${step.vmid} with: oxherd plan`,
      },
    );
  }
}

async function checkConfig(
  step: StepOf<'configure-machine'>,
  context: StepContext,
  sent?: string,
): Promise<void> {
  const talos = adminOf(context, step.ip);
  const config = await until(
    context,
    {
      timeoutMs: CONFIG_TIMEOUT_MS,
      timeout: (last) => neverCame(step, `its config could not be read (${last})`),
    },
    async () => (await talos.get(RESOURCES.machineConfig, 'v1alpha1'))?.spec,
  );
  // What comes back as it was sent need not be read to know that it is what was planned.
  if (config === sent && sent !== undefined) return;
  if (typeof config === 'string' && machineConfigHash(config) === step.configHash) return;
  // It came up with a config it already had: the next plan compares and changes it as any other.
  context.progress('its config differs from oxherd.yaml; the next plan changes it');
}

/** It waits in maintenance mode for its first config, so a reset loses nothing; the wait continues meanwhile. */
function resetAdvice({ vmid, host }: StepOf<'configure-machine'>): string {
  return `a first boot can hang in \`downloading config\`: if its console shows that, reset it on ${host}: qm reset ${vmid}`;
}

function neverCame(step: StepOf<'configure-machine'>, why: string): StepError {
  return new StepError('apply.machine-absent', `${step.node} did not come up: ${why}`, {
    where: `VM ${step.vmid} on ${step.host}`,
    advice: `look at its console in Proxmox (VM ${step.vmid} → Console): ${resetAdvice(step)}; a boot loop says the CPU type lacks x86-64-v2, no address says the bridge or VLAN is wrong; then run apply again`,
  });
}
