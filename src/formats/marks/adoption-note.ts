/**
 * A line in the description of a VM that was taken over says what its options were before, so that it can be given
 * back: `adopted <mark> tags=k8s%3Bworker -protection …`; `-` is an option that was not set. The mark is one of the
 * whole config right after the takeover, description left out: a VM that has another one was changed since.
 */
import { PropertyStringError, parseDrive, printDrive } from '../proxmox/property-string.js';
import { isDriveSlot } from '../proxmox/vm-config.js';
import { meaningOf } from '../proxmox/vm-option.js';
import { sha256Hex } from '../text/hash.js';

interface AdoptionNote {
  /** Options as they were; `undefined`: not set. */
  readonly before: ReadonlyMap<string, string | undefined>;
  readonly mark: string;
}

/** Characters of a description, as the API takes them. */
export const DESCRIPTION_LIMIT = 8192;

const LINE = /^adopted ([0-9a-f]{16})((?: (?:[a-z]+\d*=\S*|-[a-z]+\d*))*)$/;
const OWN_TIME = new Set(['description', 'digest', 'lock']);

export function printAdoptionNote({ before, mark }: AdoptionNote): string {
  const options = [...before]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => (value === undefined ? `-${key}` : `${key}=${encodeURIComponent(value)}`));
  return ['adopted', mark, ...options].join(' ');
}

export function adoptionNoteIn(description: string | undefined): AdoptionNote | undefined {
  const [, mark = '', options = ''] = LINE.exec(adoptionLineIn(description) ?? '') ?? [];
  if (mark === '') return undefined;
  const before = options
    .split(' ')
    .filter((option) => option !== '')
    .map((option): [string, string | undefined] => {
      if (option.startsWith('-')) return [option.slice(1), undefined];
      const at = option.indexOf('=');
      return [option.slice(0, at), decodeURIComponent(option.slice(at + 1))];
    });
  return { mark, before: new Map(before) };
}

/** The line as it stands there. */
function adoptionLineIn(description: string | undefined): string | undefined {
  return (description ?? '')
    .split('\n')
    .map((line) => line.trim())
    .find((line) => LINE.test(line));
}

/** Another description keeps the line of the one before it. */
export function keepAdoptionNote(
  text: string | undefined,
  description: string | undefined,
): string | undefined {
  const line = adoptionLineIn(description);
  if (line === undefined) return text;
  return text ? `${text}\n${line}` : line;
}

/** The description without the line. */
export function withoutAdoptionNote(description: string | undefined): string | undefined {
  const line = adoptionLineIn(description);
  if (line === undefined || description === undefined) return description;
  const rest = description.split('\n').filter((each) => each.trim() !== line);
  return rest.length === 0 ? undefined : rest.join('\n');
}

/** Equal for configs that mean the same to Proxmox. */
export function configMark(values: Readonly<Record<string, string>>): string {
  const lines = Object.entries(values)
    .filter(([key]) => !OWN_TIME.has(key))
    .map(([key, value]) => `${key} ${isDriveSlot(key) ? driveMeaning(value) : meaningOf(key, value)}`);
  return sha256Hex(lines.sort().join('\n')).slice(0, 16);
}

/** A drive's line in one order of its options. */
function driveMeaning(line: string): string {
  try {
    return printDrive(parseDrive(line));
  } catch (error) {
    if (error instanceof PropertyStringError) return line;
    throw error;
  }
}
