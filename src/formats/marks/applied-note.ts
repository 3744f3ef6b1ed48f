/**
 * A line in a Talos VM's description says what oxherd.yaml asked for when oxherd last wrote the VM: a short mark of each
 * option, `applied cores=1f2e3d memory=…`. With it a later plan tells what someone changed in Proxmox from what
 * someone changed in oxherd.yaml. It is written by the same call as the options, so it is never ahead of them.
 */

import { meaningOf, type OptionValue } from '../proxmox/vm-option.js';
import { sha256Hex } from '../text/hash.js';

export type Marks = ReadonlyMap<string, string>;

const LINE = /^applied((?: [A-Za-z]\w*=[0-9a-f]{6})*)$/;

/** Most options have the same value on all nodes; those of a few hundred nodes are remembered. */
const known = new Map<string, string>();
const MOST_KNOWN = 4_096;

/** Equal for values that mean the same to Proxmox. */
export function markOf(key: string, value: OptionValue): string {
  const option = value === undefined ? key : `${key}\n${value}`;
  const seen = known.get(option);
  if (seen !== undefined) return seen;
  const mark = sha256Hex(`${key}\n${meaningOf(key, value)}`).slice(0, 6);
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(option, mark);
  return mark;
}

/** `description` is the text above the line; it is one of the options. */
export function withAppliedNote(
  description: string | undefined,
  options: Readonly<Record<string, OptionValue>>,
  /** Marks of other things that belong to the VM. */
  more: Readonly<Record<string, string>> = {},
): string {
  const marks = [
    ...Object.entries({ ...options, description })
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `${key}=${markOf(key, value)}`),
    ...Object.entries(more).map(([key, mark]) => `${key}=${mark}`),
  ].sort();
  return [...(description ? [description] : []), ['applied', ...marks].join(' ')].join('\n');
}

/** `undefined`: there is no such line, because someone wrote another description or oxherd never wrote the VM. */
export function appliedMarks(description: string | undefined): Marks | undefined {
  const line = (description ?? '').split('\n').find((candidate) => LINE.test(candidate.trim()));
  if (line === undefined) return undefined;
  const marks = line.trim().split(' ').slice(1);
  return new Map(
    marks.map((mark) => [mark.slice(0, mark.indexOf('=')), mark.slice(mark.indexOf('=') + 1)] as const),
  );
}

/** What the description says besides. */
export function withoutAppliedNote(description: string | undefined): string {
  return (description ?? '')
    .split('\n')
    .filter((line) => !LINE.test(line.trim()))
    .join('\n')
    .trimEnd();
}

/** The description with another text; the mark of the text follows if it was right before. */
export function withChangedText(description: string, change: (text: string) => string): string {
  const mark = (text: string) => `description=${markOf('description', withoutAppliedNote(text))}`;
  const changed = change(description);
  const [before, after] = [mark(description), mark(changed)];
  return changed
    .split('\n')
    .map((line) => (LINE.test(line.trim()) ? line.replace(` ${before}`, ` ${after}`) : line))
    .join('\n');
}
