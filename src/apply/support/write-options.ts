/** Writes options of a VM with the digest that was read, and reads them back; safe to repeat. */
import { effectiveValues, type VmState } from '../../formats/proxmox/vm-config.js';
import type { ValueChange } from '../../plan/steps.js';
import type { StepContext } from './context.js';
import { requireVm, StepError, verifyFailed } from './read-vm.js';

interface OptionRules {
  /** The option is as it should be; `undefined`: it should not be set. */
  isSet(key: string, now: string | undefined, to: string | undefined): boolean;
  /** The option is still as the plan found it. */
  isPlanned(key: string, now: string | undefined, from: string | undefined): boolean;
  /** What to do about one that is not. */
  readonly advice: string;
}

interface WrittenOptions {
  readonly changes: readonly (readonly [key: string, change: ValueChange])[];
  /** The VM after that. */
  readonly state: VmState;
}

/** `undefined`: all of them are set. */
export async function writeOptions(
  context: StepContext,
  { vmid, host, changes }: { vmid: number; host: string; changes: Readonly<Record<string, ValueChange>> },
  { isSet, isPlanned, advice }: OptionRules,
): Promise<WrittenOptions | undefined> {
  const before = await requireVm(context, host, vmid);
  const now = effectiveValues(before);
  const open = Object.entries(changes).filter(([key, { to }]) => !isSet(key, now[key], to));
  if (open.length === 0) return undefined;
  for (const [key, { from }] of open) {
    if (isPlanned(key, now[key], from)) continue;
    throw new StepError(
      'apply.changed',
      `${key} of VM ${vmid} is ${now[key] ?? '(none)'}, the plan found ${from ?? '(none)'}`,
      { advice },
    );
  }
  await context.client.updateVm(host, vmid, {
    ...asUpdate(open.map(([key, { to }]) => [key, to])),
    digest: before.digest,
  });
  const state = await requireVm(context, host, vmid);
  const after = effectiveValues(state);
  const wrong = open.find(([key, { to }]) => !isSet(key, after[key], to));
  if (wrong) throw verifyFailed(`${wrong[0]} of VM ${vmid} is ${after[wrong[0]] ?? '(none)'}`);
  return { changes: open, state };
}

/** Values to set, and keys without one to delete. */
export function asUpdate(values: readonly (readonly [key: string, value: string | undefined])[]): {
  readonly set: Readonly<Record<string, string>>;
  readonly delete: readonly string[];
} {
  return {
    set: Object.fromEntries(values.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]]))),
    delete: values.flatMap(([key, value]) => (value === undefined ? [key] : [])),
  };
}
