/** A VM as it is at this moment, for steps that read before they write. */
import { isProxmoxError } from '../../clients/proxmox/errors.js';
import { DATA_TAG } from '../../formats/marks/data-tag.js';
import { ownershipOf } from '../../formats/marks/ownership.js';
import { parseTags } from '../../formats/proxmox/property-string.js';
import { type VmDrive, type VmState, vmConfigOf } from '../../formats/proxmox/vm-config.js';
import { lockAdvice } from '../../formats/proxmox/vm-lock.js';
import { OxherdError } from '../../model/error.js';
import { parseVmid, type Wwn } from '../../model/identity.js';
import { readVm } from '../../observe/read-vm.js';
import type { StepContext } from './context.js';

export class StepError extends OxherdError {
  override readonly name = 'StepError';
}

/** How long a VM may stay locked by a task that an earlier run started. */
const LOCK_WAIT_MS = 10 * 60_000;
const LOCK_POLL_MS = 500;

/** `undefined`: there is no such VM. Waits while Proxmox still makes it. */
export async function findVm(context: StepContext, host: string, vmid: number): Promise<VmState | undefined> {
  const deadline = context.clock.elapsed() + LOCK_WAIT_MS;
  for (;;) {
    const state = await readOrMissing(context, host, vmid);
    if (!state?.values.lock) return state;
    if (context.clock.elapsed() >= deadline) {
      throw new StepError('apply.vm-locked', `VM ${vmid} stays locked (${state.values.lock})`, {
        where: `VM ${vmid} on ${host}`,
        advice: wayOut(vmid, state),
      });
    }
    context.progress(`waiting for Proxmox to finish ${state.values.lock} of VM ${vmid}`);
    await context.clock.sleep(LOCK_POLL_MS);
  }
}

/** What a task that created the VM has left may have no disk yet: it carries no identity, and no run takes it over. */
function wayOut(vmid: number, state: VmState): string {
  return state.values.lock === 'create' && vmConfigOf(state).references.length === 0
    ? `see its tasks in Proxmox; once none of them runs, remove what is left of it: qm unlock ${vmid} && qm destroy ${vmid}; then run apply again`
    : lockAdvice(vmid, state.values.lock ?? '');
}

async function readOrMissing(context: StepContext, host: string, vmid: number): Promise<VmState | undefined> {
  try {
    return await readVm(context.client, host, vmid);
  } catch (error) {
    if (isProxmoxError(error, 'proxmox.not-found')) return undefined;
    throw error;
  }
}

export async function requireVm(context: StepContext, host: string, vmid: number): Promise<VmState> {
  const state = await findVm(context, host, vmid);
  if (state) return state;
  throw new StepError('apply.vm-gone', `VM ${vmid} is no longer on ${host}`, {
    advice: 'it was removed or moved since the plan was created; run plan again',
  });
}

/** The VM is there and ours, and of that kind where one is given; anything else on its id is not this cluster's. */
export function checkOurs(context: StepContext, vmid: number, state: VmState, kind?: 'talos' | 'data'): void {
  const id = parseVmid(vmid);
  const tags = parseTags(state.values.tags ?? '');
  const ours = id !== undefined && ownershipOf(context.cluster, id, vmConfigOf(state).effective).ours;
  if (ours && (kind === undefined || tags.includes(DATA_TAG) === (kind === 'data'))) return;
  const what = kind === undefined ? 'a VM' : `the ${kind} VM`;
  throw new StepError(
    'apply.vm-foreign',
    `VM ${vmid} was created since the plan, and it is not ${what} of this cluster`,
    { advice: `it has the tags ${tags.join(';') || '(none)'}; give the node another vmid` },
  );
}

/** Pending drives count: they are there after the next start. */
export function driveByWwn(state: VmState, wwn: Wwn): VmDrive | undefined {
  return vmConfigOf(state).byWwn.get(wwn);
}

/** The `unusedN` that names a volume. */
export function unusedKey(state: VmState, volid: string): string | undefined {
  return Object.entries(vmConfigOf(state).unused).find(([, file]) => file === volid)?.[0];
}

/** A slot that the plan found free and someone took meanwhile, such as the CSI driver. */
export function lostSlot(vmid: number, slot: string, holder: string): StepError {
  return new StepError(
    'apply.slot-lost',
    `${slot} of VM ${vmid} is used by ${holder} since the plan was created`,
    {
      advice: 'nothing was changed there; run apply again and another slot is chosen',
    },
  );
}

export function verifyFailed(what: string): StepError {
  return new StepError('apply.not-as-written', `Proxmox accepted the change, but ${what}`, {
    advice: 'it may have been changed at the same moment; run plan again',
  });
}
