/** A VM as it is once it was taken over, and the changes that lead there. */
import {
  adoptionNoteIn,
  configMark,
  printAdoptionNote,
  withoutAdoptionNote,
} from '../../formats/marks/adoption-note.js';
import { parseTags, printDrive, printTags } from '../../formats/proxmox/property-string.js';
import { isDriveSlot, vmConfigOf } from '../../formats/proxmox/vm-config.js';
import { DRIVE_DEFAULTS, sameVmOption } from '../../formats/proxmox/vm-option.js';
import type { Wwn } from '../../model/identity.js';
import { known, type ObservedVm } from '../../observe/observed.js';
import { needsRestart } from '../effects/drives.js';
import type { Step, ValueChange } from '../steps.js';

type Values = Readonly<Record<string, string>>;

/** One that is not ours yet. */
export interface Candidate {
  readonly vm: ObservedVm;
  readonly node: string;
  readonly kind: 'talos' | 'data';
  /** Slot → identity. */
  readonly identities: ReadonlyMap<string, Wwn>;
  /** Slot → the options that the drive should have. */
  readonly options: ReadonlyMap<string, Readonly<Record<string, string>>>;
  readonly tags: readonly string[];
}

/** What makes it ours: the tags, and an identity on each of its drives. */
export function asOurs({ vm, identities, options, tags }: Candidate): ObservedVm {
  if (!vm.config.known) return vm;
  const { bySlot } = vmConfigOf(vm.config.value);
  const drives = [...identities].map(([slot, wwn]): [string, string] => {
    const drive = bySlot.get(slot);
    if (!drive) return [slot, ''];
    const wanted = options.get(slot) ?? drive.options;
    const now = needsRestart(withDefaults(drive.options), withDefaults(wanted)) ? drive.options : wanted;
    const { format } = drive.options;
    const line = { ...now, ...(format !== undefined && { format }), wwn };
    return [slot, printDrive({ ...drive, options: withoutNewDefaults(line, drive.options) })];
  });
  const before = vm.config.value.values.tags ?? '';
  const all = printTags([...new Set([...parseTags(before), ...tags])]);
  return withValues(vm, { ...Object.fromEntries(drives), tags: all });
}

function withDefaults({ wwn: _, ...options }: Readonly<Record<string, string>>): Record<string, string> {
  return { ...DRIVE_DEFAULTS, ...options };
}

/** A default that is written out is another value to Proxmox, which keeps it for the next start. */
function withoutNewDefaults(
  options: Readonly<Record<string, string>>,
  before: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(options).filter(([key, value]) => key in before || DRIVE_DEFAULTS[key] !== value),
  );
}

/** The VM with what the steps of a plan would write. */
export function withSteps(vm: ObservedVm, steps: readonly Step[]): ObservedVm {
  if (!vm.config.known) return vm;
  const { bySlot } = vmConfigOf(vm.config.value);
  let result = vm;
  for (const step of steps) {
    if (step.kind === 'set-drive-options' && step.vmid === vm.vmid) {
      const drive = bySlot.get(step.slot);
      const format = drive?.options.format;
      const options = { ...step.options, ...(format !== undefined && { format }) };
      if (drive) result = withValues(result, { [step.slot]: printDrive({ ...drive, options }) });
    } else if (step.kind === 'set-options' && step.vmid === vm.vmid) {
      result = withValues(
        result,
        Object.fromEntries(Object.entries(step.changes).map(([key, { to }]) => [key, to])),
      );
    }
  }
  return result;
}

/** The line with which it can be given back, in its description. */
export function withNote(before: ObservedVm, after: ObservedVm): ObservedVm {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  const keys = new Set([...Object.keys(changesBetween(old, now)), 'description']);
  const note = printAdoptionNote({
    before: new Map([...keys].map((key) => [key, old[key]])),
    mark: configMark(now),
  });
  const own = withoutAdoptionNote(now.description);
  const text = own === undefined ? note : `${own}\n${note}`;
  return withValues(after, { description: text });
}

export function changesBetween(before: Values, after: Values): Record<string, ValueChange> {
  const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return Object.fromEntries(
    keys.flatMap((key): [string, ValueChange][] => {
      const [from, to] = [before[key], after[key]];
      const same = from === to || (!isDriveSlot(key) && from !== undefined && sameVmOption(key, from, to));
      if (same) return [];
      return [[key, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }]];
    }),
  );
}

export function valuesOf(vm: ObservedVm): Values {
  return vm.config.known ? vm.config.value.values : {};
}

function withValues(vm: ObservedVm, set: Readonly<Record<string, string | undefined>>): ObservedVm {
  if (!vm.config.known) return vm;
  const { value: state } = vm.config;
  const values = Object.fromEntries(
    Object.entries({ ...state.values, ...set }).flatMap(([key, value]): [string, string][] =>
      value === undefined ? [] : [[key, value]],
    ),
  );
  return {
    ...vm,
    tags: set.tags === undefined ? vm.tags : parseTags(set.tags),
    config: known({ ...state, values }),
  };
}

/** It was taken over, and has not been given back. */
export function wasAdopted(vm: ObservedVm): boolean {
  return adoptionNoteIn(valuesOf(vm).description) !== undefined;
}
