/** Starting and stopping VMs: by the task and by what the VM then says, since HA answers with tasks of its own. */

import { isProxmoxError } from '../../clients/proxmox/errors.js';
import { haErrorAdvice, STATE_AS_BEFORE } from '../../formats/proxmox/ha-state.js';
import { permitDown } from '../guard/guard.js';
import type { StepContext } from './context.js';
import { StepError } from './read-vm.js';

/** Talos drains its node for up to 5 minutes when it is shut down, then stops services and closes volumes. */
const SHUTDOWN_SECONDS = 7 * 60;
/** HA only takes the request: the guest is asked when its manager looks next. */
const POWER_WAIT_MS = (SHUTDOWN_SECONDS + 120) * 1000;
const POLL_MS = 250;

export async function powerOn(context: StepContext, host: string, vmid: number): Promise<boolean> {
  const { client } = context;
  if ((await client.vmStatus(host, vmid)).status === 'running') return false;
  try {
    await client.runTask(() => client.startVm(host, vmid));
  } catch (error) {
    // Someone else was faster: HA, a person, or a task of a run before this one.
    if (!isProxmoxError(error, 'proxmox.task-failed') || !/already running/.test(error.message)) throw error;
  }
  await until(context, host, vmid, 'running');
  return true;
}

/** Asks the guest first; one that does not obey in time is switched off. */
export async function powerOff(
  context: StepContext,
  { host, vmid, node }: { readonly host: string; readonly vmid: number; readonly node?: string },
): Promise<boolean> {
  const { client } = context;
  if ((await client.vmStatus(host, vmid)).status === 'stopped') return false;
  const permit = await permitDown(context, { host, vmid, ...(node !== undefined && { node }) });
  await client.runTask(() =>
    client.down.shutdownVm(permit, host, vmid, { timeoutSeconds: SHUTDOWN_SECONDS, forceStop: true }),
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
    const { status, haState } = await context.client.vmStatus(host, vmid);
    if (status === wanted) return;
    if (haState === 'error') throw givenUp(vmid, `VM ${vmid} is ${status}, not ${wanted}`);
    if (context.clock.elapsed() >= deadline) {
      throw new StepError('apply.power', `VM ${vmid} is ${status}, not ${wanted}`, {
        advice: `see its tasks on ${host} in Proxmox`,
      });
    }
    await context.clock.sleep(POLL_MS);
  }
}

/** HA tries no more: waiting does not help. */
export function givenUp(vmid: number, message: string): StepError {
  return new StepError('apply.ha-error', `${message}: HA has given up on it (state error)`, {
    advice: haErrorAdvice(vmid, `${STATE_AS_BEFORE}; then run it again`),
  });
}

/** Without `purge`: jobs of others that save this VM go on doing so when it is made again. */
export async function destroyVm(context: StepContext, host: string, vmid: number): Promise<void> {
  const { client } = context;
  const permit = await permitDown(context, { host, vmid });
  await client.runTask(() => client.down.destroyVm(permit, host, vmid, { destroyUnreferencedDisks: false }));
}
