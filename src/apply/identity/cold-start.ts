/** A boot for which QEMU is started again: what waits for it, such as the WWNs of drives, takes effect. */
import type { TalosClient } from '../../clients/talos/client.js';
import { readDisks } from '../../observe/disks/machine-disks.js';
import type { ColdStart } from '../../plan/machine-steps.js';
import type { StepContext } from '../support/context.js';
import { powerOff, powerOn } from '../support/power.js';
import { StepError } from '../support/read-vm.js';

export async function startAgain(
  context: StepContext,
  { vmid, node }: { readonly vmid: number; readonly node?: string },
  { host }: ColdStart,
): Promise<void> {
  await powerOff(context, { host, vmid, ...(node !== undefined && { node }) });
  await powerOn(context, host, vmid);
}

/** Identities that the machine does not show yet. */
export async function missingIdentities(
  talos: Pick<TalosClient, 'list'>,
  { wwids }: Pick<ColdStart, 'wwids'>,
): Promise<string[]> {
  const seen = new Set((await readDisks(talos)).map(({ wwid }) => wwid));
  return wwids.filter((wwid) => !seen.has(wwid));
}

/** A machine that runs has found its disks: what it does not show now does not come. */
export async function requireIdentities(
  talos: Pick<TalosClient, 'list'>,
  { node, vmid }: { readonly node?: string; readonly vmid: number },
  start: Pick<ColdStart, 'wwids'>,
): Promise<void> {
  const missing = await missingIdentities(talos, start);
  if (missing.length === 0) return;
  throw new StepError(
    'apply.no-identity',
    `VM ${vmid} was stopped and started, but ${node} shows no disk with ${missing.join(', ')}`,
    {
      advice: `compare the drives of VM ${vmid} in Proxmox with talosctl get disks; the other nodes were left alone`,
    },
  );
}
