/** Writes whole options of a VM, drives included, with the digest that was read; safe to repeat. */
import { parseDrive } from '../../formats/proxmox/property-string.js';
import { effectiveValues, isDriveSlot } from '../../formats/proxmox/vm-config.js';
import { sameDriveOptions, sameVmOption } from '../../formats/proxmox/vm-option.js';
import type { ValueChange } from '../../plan/steps.js';
import { ALREADY, DONE, type StepContext, type StepOutcome } from '../support/context.js';
import { requireVm, StepError, verifyFailed } from '../support/read-vm.js';

export async function writeOptions(
  context: StepContext,
  { vmid, host, changes }: { vmid: number; host: string; changes: Readonly<Record<string, ValueChange>> },
): Promise<StepOutcome> {
  const state = await requireVm(context, host, vmid);
  const now = effectiveValues(state);
  const open = Object.entries(changes).filter(([key, { to }]) => !same(key, now[key], to));
  if (open.length === 0) return ALREADY;
  for (const [key, { from }] of open) {
    if (same(key, now[key], from)) continue;
    throw new StepError(
      'apply.changed',
      `${key} of VM ${vmid} is ${now[key] ?? '(none)'}, the plan found ${from ?? '(none)'}`,
      { advice: 'it was changed meanwhile; nothing was written, run the command again' },
    );
  }
  await context.client.updateVm(host, vmid, {
    set: Object.fromEntries(open.flatMap(([key, { to }]) => (to === undefined ? [] : [[key, to]]))),
    delete: open.flatMap(([key, { to }]) => (to === undefined ? [key] : [])),
    digest: state.digest,
  });
  const after = effectiveValues(await requireVm(context, host, vmid));
  const wrong = open.find(([key, { to }]) => !same(key, after[key], to));
  if (wrong) throw verifyFailed(`${wrong[0]} of VM ${vmid} is ${after[wrong[0]] ?? '(none)'}`);
  return DONE;
}

/** The size of a drive is the volume's. */
function same(key: string, a: string | undefined, b: string | undefined): boolean {
  if (!isDriveSlot(key) || a === undefined || b === undefined) return a === b || sameSetOption(key, a, b);
  const [one, other] = [parseDrive(a), parseDrive(b)];
  return one.file === other.file && sameDriveOptions(one.options, other.options);
}

/** An option that goes must not be there, whatever its default. */
function sameSetOption(key: string, a: string | undefined, b: string | undefined): boolean {
  return a !== undefined && b !== undefined && sameVmOption(key, a, b);
}
