/** Who made a difference: the file, or someone in Proxmox, in a machine or in the cluster. */
import type { NodeDesign } from '../../design/design.js';
import { configMark } from '../../design/machine-config/config-mark.js';
import { appliedMarks, type Marks, markOf, withoutAppliedNote } from '../../formats/marks/applied-note.js';
import { textOfDescription } from '../../formats/marks/data-notes.js';
import { notedHost } from '../../formats/marks/host-note.js';
import { printPropertyString } from '../../formats/proxmox/property-string.js';
import type { OptionValue } from '../../formats/proxmox/vm-option.js';
import { isNoteAlone } from '../facts/option-changes.js';
import type { VmView } from '../facts/view-of-vm.js';
import type { Drift, DriftAuthor } from '../step-base.js';
import type { ValueChange } from '../steps.js';

/** `undefined`: oxherd.yaml alone. */
export type Author = DriftAuthor | undefined;

/** For a step: its reasons with their authors, nothing where all of them are the file's. */
export function driftOf(reasons: readonly (readonly [string, Author])[]): { drift?: readonly Drift[] } {
  const drift = reasons.flatMap(([reason, by]) => (by === undefined ? [] : [{ reason, by }]));
  return drift.length > 0 ? { drift } : {};
}

/** By three values: what was applied last, what is there, what oxherd.yaml asks for now. */
export function authorOf(applied: string | undefined, now: string, wanted: string): Author {
  if (applied === undefined) return 'unknown';
  // Written as oxherd.yaml says, and only waiting for a restart, as a hotplug that failed leaves it.
  if (now === wanted) return undefined;
  if (applied === wanted) return 'hand';
  return applied === now ? undefined : 'both';
}

interface OptionAuthors {
  of(key: string, change: ValueChange): Author;
}

/** For the options of a Talos VM, by the marks in its description. */
export function optionAuthors(
  view: VmView,
  wanted: Readonly<Record<string, OptionValue>>,
  marks: Marks | undefined,
): OptionAuthors {
  return {
    of(key, change) {
      if (key === 'description') return descriptionAuthor(change, marks);
      // An option that was not asked for has no mark: the same as one that is not set.
      const applied = marks && (marks.get(key) ?? markOf(key, undefined));
      return authorOf(applied, markOf(key, view.effective[key]), markOf(key, wanted[key]));
    },
  };
}

function descriptionAuthor(change: ValueChange, marks: Marks | undefined): Author {
  if (isNoteAlone('description', change)) return undefined;
  // Whatever oxherd writes has the line.
  if (!marks) return change.from === undefined ? 'unknown' : 'hand';
  const [now, wanted] = [change.from, change.to].map((text) =>
    markOf('description', withoutAppliedNote(text)),
  );
  return authorOf(marks.get('description'), now ?? '', wanted ?? '');
}

/** A data VM is the same whatever oxherd.yaml says, but for names and notes; the marks of its Talos VM tell. */
export function dataVmAuthor(
  key: string,
  change: ValueChange,
  node: NodeDesign,
  talos: VmView | undefined,
): Author {
  const named = key === 'name' || key === 'description';
  if (!named) return 'hand';
  if (key === 'description' && lastingText(change.from) === lastingText(change.to)) return undefined;
  const name = appliedMarks(talos?.effective.description)?.get('name');
  if (name === undefined) return 'unknown';
  return name === markOf('name', node.talosVm.name) ? 'hand' : undefined;
}

/** Volumes come and go with oxherd.yaml, and so does the host. */
function lastingText(description = ''): string {
  return textOfDescription(description)
    .split('\n')
    .filter((line) => notedHost(line) === undefined)
    .join('\n');
}

/**
 * Which options oxherd.yaml asks for on a node's disks, as one value of the marks: a disk that comes or goes with the
 * options that others have does not change it.
 */
export function diskMark(node: NodeDesign): string {
  const kinds = node.drives.flatMap(({ ownerOptions, talosOptions }) =>
    [ownerOptions, talosOptions].map((options) => printPropertyString(options)),
  );
  return markOf(DISKS, [...new Set(kinds)].sort().join('\n'));
}

/** Key of the marks; no option of Proxmox has this name. */
export const DISKS = 'disks';

export function diskAuthor(node: NodeDesign, talos: VmView | undefined): Author {
  const applied = appliedMarks(talos?.effective.description)?.get(DISKS);
  if (applied === undefined) return 'unknown';
  return applied === diskMark(node) ? 'hand' : undefined;
}

/** For a machine's config as a whole, by the line at its top. */
export function configAuthor(
  config: { readonly hash: string; readonly mark?: string },
  wanted: { readonly hash: string },
): Author {
  // Every config of ours has the line, and whatever patches one drops it.
  if (config.mark === undefined) return 'hand';
  return authorOf(config.mark, configMark(config.hash), configMark(wanted.hash));
}
