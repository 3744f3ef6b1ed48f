/** Starting and stopping VMs: by the task and by what the VM then says, since HA answers with tasks of its own. */
import { isProxmoxError } from '../../../clients/proxmox/errors.js';
import { ALREADY, DONE, type Executor, type StepContext } from '../../support/context.js';
import { requireVm, StepError } from '../../support/read-vm.js';

const SHUTDOWN_SECONDS = 180;
const POWER_WAIT_MS = 60_000;
const POLL_MS = 250;

export const startVm: Executor<'start-vm'> = async (step, context) =>
  (await powerOn(context, step.host, step.vmid)) ? DONE : ALREADY;

export const stopVm: Executor<'stop-vm'> = async (step, context) =>
  (await powerOff(context, step.host, step.vmid)) ? DONE : ALREADY;

/** Pending changes take hold when QEMU is started anew; a reboot inside the guest does not do it. */
export const restartVm: Executor<'restart-vm'> = async (step, context) => {
  const { client } = context;
  const before = await requireVm(context, step.host, step.vmid);
  const { status } = await client.vmStatus(step.host, step.vmid);
  if (status === 'running' && Object.keys(before.pending).length === 0 && !step.asked) return ALREADY;
  await powerOff(context, step.host, step.vmid);
  await powerOn(context, step.host, step.vmid);
  const left = Object.keys((await requireVm(context, step.host, step.vmid)).pending);
  if (left.length > 0) {
    throw new StepError(
      'apply.still-pending',
      `VM ${step.vmid} was restarted, but ${left.join(', ')} still wait`,
      {
        advice: 'see the Hardware page of the VM in Proxmox',
      },
    );
  }
  return DONE;
};

export async function powerOn(context: StepContext, host: string, vmid: number): Promise<boolean> {
  const { client } = context;
  if ((await client.vmStatus(host, vmid)).status === 'running') return false;
  try {
    await client.runTask(() => client.startVm(host, vmid));
  } catch (error) {
    // Somebody else was faster: HA, a person, or a task of a run before this one.
    if (!isProxmoxError(error, 'proxmox.task-failed') || !/already running/.test(error.message)) throw error;
  }
  await until(context, host, vmid, 'running');
  return true;
}

/** Asks the guest first; one that does not obey in time is switched off. */
export async function powerOff(context: StepContext, host: string, vmid: number): Promise<boolean> {
  const { client } = context;
  if ((await client.vmStatus(host, vmid)).status === 'stopped') return false;
  await client.runTask(() =>
    client.shutdownVm(host, vmid, { timeoutSeconds: SHUTDOWN_SECONDS, forceStop: true }),
  );
  await until(context, host, vmid, 'stopped');
  return true;
}

async function until(
  context: StepContext,
  host: string,
  vmid: number,
  wanted: 'running' | 'stopped',
): Promise<void> {
  const deadline = context.clock.elapsed() + POWER_WAIT_MS;
  for (;;) {
    const { status } = await context.client.vmStatus(host, vmid);
    if (status === wanted) return;
    if (context.clock.elapsed() >= deadline) {
      throw new StepError('apply.power', `VM ${vmid} is ${status}, not ${wanted}`, {
        advice: `see its tasks on ${host} in Proxmox`,
      });
    }
    await context.clock.sleep(POLL_MS);
  }
}
