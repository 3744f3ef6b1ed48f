/** Which options of an existing VM differ, and what writing them does to a running guest. */
import { adoptionNoteIn } from '../../formats/marks/adoption-note.js';
import { withoutAppliedNote } from '../../formats/marks/applied-note.js';
import { notedHost } from '../../formats/marks/host-note.js';
import { withoutSecretsNote } from '../../formats/marks/secrets-note.js';
import { parseBoolean, parseNet, parsePropertyString } from '../../formats/proxmox/property-string.js';
import { sameVmOption } from '../../formats/proxmox/vm-option.js';
import { bytes, formatSize, MIB } from '../../model/size.js';
import { interruptsNetwork, isHotPlugged, isOurOption, isWrittenAtOnce } from '../effects/vm-options.js';
import type { Impact } from '../plan.js';
import type { ValueChange } from '../steps.js';
import type { VmView } from './view-of-vm.js';

interface OptionChanges {
  readonly changes: Readonly<Record<string, ValueChange>>;
  /** Keys whose change, made now or earlier, waits for a stop and start. */
  readonly waiting: readonly string[];
  readonly impact: Impact;
}

export function optionChanges(
  view: VmView,
  wanted: Readonly<Record<string, string | number>>,
): OptionChanges {
  const changes: Record<string, ValueChange> = {};
  for (const [key, value] of Object.entries(wanted)) {
    const now = view.effective[key];
    if (!isAlike(view, wanted, key))
      changes[key] = { ...(now !== undefined && { from: now }), to: String(value) };
  }
  for (const [key, now] of Object.entries(view.effective)) {
    if (isOurOption(key) && !(key in wanted) && !sameVmOption(key, now, undefined))
      changes[key] = { from: now };
  }
  const running = view.vm.status === 'running';
  const waiting = running ? waitingKeys(view, wanted, changes) : [];
  const network = Object.entries(changes).some(([key, change]) => interruptsNetwork(key, change));
  const impact =
    !running || Object.keys(changes).length === 0
      ? 'none'
      : network
        ? 'component'
        : waiting.length > 0
          ? 'restart'
          : 'live';
  return { changes: sorted(changes), waiting, impact };
}

function isAlike(
  { effective }: VmView,
  wanted: Readonly<Record<string, string | number>>,
  key: string,
): boolean {
  const [now, value] = [effective[key], wanted[key]];
  if (sameVmOption(key, now, value)) return true;
  // Not said, it is all of the memory.
  if (key === 'balloon' && now === undefined) return String(value) === String(wanted.memory);
  return adoptionNoteIn(effective.description) !== undefined && isKeptSinceAdoption(key, now, String(value));
}

/** Options of a VM that something else made, which do the same to its guest, and would need a restart. */
function isKeptSinceAdoption(key: string, now = '', value = ''): boolean {
  if (key === 'boot') return `${now};`.startsWith(`${value};`);
  if (key !== 'smbios1') return false;
  // Talos reads its host name from the serial where no config says it: a machine that runs has one.
  const [has, shall] = [parsePropertyString(now), parsePropertyString(value)];
  return has.serial === undefined && has.uuid?.toLowerCase() === shall.uuid;
}

/** The machine config finds the first NIC by its MAC: both change with one boot. */
export function changesMac({ net0 }: Readonly<Record<string, ValueChange>>): boolean {
  if (net0?.from === undefined || net0.to === undefined) return false;
  return parseNet(net0.from).mac !== parseNet(net0.to).mac;
}

function waitingKeys(
  view: VmView,
  wanted: Readonly<Record<string, string | number>>,
  changes: Readonly<Record<string, ValueChange>>,
): string[] {
  const isOurs = (key: string) => key in wanted || isOurOption(key);
  const pendingAlready = Object.keys(view.state.pending).filter(
    (key) =>
      isOurs(key) &&
      !(key in changes) &&
      !sameVmOption(key, view.state.values[key], view.state.pending[key] ?? undefined),
  );
  const willWait = Object.entries(changes)
    .filter(([key]) => !isWrittenAtOnce(key) && !isHotPlugged(key))
    // Back to what the guest runs with: Proxmox drops the pending change.
    .filter(([key, { to }]) => !sameVmOption(key, view.state.values[key], to))
    .map(([key]) => key);
  return [...pendingAlready, ...willWait].sort();
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** `cores 4 → 6`, one line per change; long values on their own. */
export function reasonOf(key: string, { from, to }: ValueChange): string {
  if (key === 'description') {
    const [before, after] = [notedHost(from ?? ''), notedHost(to ?? '')];
    if (before !== after) return `noted host ${before ?? '(none)'} → ${after ?? '(none)'}`;
    if (isNoteAlone(key, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) }))
      return 'so that changes outside oxherd are known for such';
    if (from !== undefined && isPrintAlone(from, to ?? ''))
      return "the fingerprint of this cluster's secrets, which tells it from another one with its name";
    return from === undefined ? 'description is missing' : 'description differs';
  }
  if (key === 'smbios1' && from !== undefined && to !== undefined)
    return `serial ${serialOf(from)} → ${serialOf(to)}`;
  if (isHotPlugged(key) && from !== undefined && to !== undefined) return netChange(key, from, to);
  return `${key} ${shown(key, from)} → ${shown(key, to)}`;
}

/** Memory is a number of MiB there. */
function shown(key: string, value: string | undefined): string {
  if (value === undefined) return '(none)';
  const mebibytes = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  return (key === 'memory' || key === 'balloon') && mebibytes > 0
    ? formatSize(bytes(mebibytes * MIB))
    : value;
}

/** Only the fingerprint of the secrets differs, and the marks. */
function isPrintAlone(from: string, to: string): boolean {
  const [before, after] = [from, to].map((text) => withoutSecretsNote(withoutAppliedNote(text)).trim());
  return before === after;
}

/** Nothing that people wrote or read differs: it goes along with other changes without a word. */
export function isNoteAlone(key: string, { from, to }: ValueChange): boolean {
  return key === 'description' && from !== undefined && withoutAppliedNote(from) === withoutAppliedNote(to);
}

export function optionsTitle(told: readonly (readonly [string, ValueChange])[], vm: string): string {
  if (told.every(([key, change]) => isNoteAlone(key, change))) return `record the applied settings on ${vm}`;
  return `set ${told.map(([key]) => key).join(', ')} of ${vm}`;
}

/** Keys to speak of. */
export function toldChanges(changes: Readonly<Record<string, ValueChange>>): [string, ValueChange][] {
  const all = Object.entries(changes);
  const told = all.filter(([key, change]) => !isNoteAlone(key, change));
  return told.length > 0 ? told : all;
}

/** What stands in it for people: the serial, decoded where it is base64. */
function serialOf(smbios: string): string {
  const { base64, serial } = parsePropertyString(smbios);
  if (serial === undefined) return smbios;
  try {
    return parseBoolean(base64 ?? '') === true ? atob(serial) : serial;
  } catch {
    return smbios;
  }
}

/** `net0: tag (none) → 30`: what differs, and nothing of what stays. */
function netChange(key: string, from: string, to: string): string {
  const [before, after] = [netFields(from), netFields(to)];
  const options = [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((option) => before[option] !== after[option])
    .map((option) => `${option} ${before[option] ?? '(none)'} → ${after[option] ?? '(none)'}`);
  return `${key}: ${options.join(', ')}`;
}

function netFields(line: string): Record<string, string | undefined> {
  const { model, mac, options } = parseNet(line);
  return { model, mac, ...options };
}
