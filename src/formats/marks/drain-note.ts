/**
 * A line in the description of the VM that owns a node's disks says that its host is drained, until when and by which
 * run. A VM that stays there is off on purpose; one that was moved away is to come back. Plans leave both as they are.
 */
import { notedHost } from './host-note.js';

export interface DrainNote {
  /** The host that the node was drained from. */
  readonly host: string;
  /** As ISO 8601; absent: no one said. */
  readonly until?: string;
  readonly run?: string;
}

const LINE = /^drained-from (\S+)(?: until (\S+))?(?: run (\S+))?$/;

export function notedDrain(description: string): DrainNote | undefined {
  for (const line of description.split('\n')) {
    const [, host, until, run] = LINE.exec(line.trim()) ?? [];
    if (host !== undefined) return { host, ...(until && { until }), ...(run && { run }) };
  }
  return undefined;
}

/** Below the line that names the intended host; in place of an older one. */
export function withDrainNote(description: string, note: DrainNote): string {
  const lines = withoutDrainNote(description).split('\n');
  const at = lines.findIndex((line) => notedHost(line) !== undefined);
  lines.splice(at < 0 ? lines.length : at + 1, 0, printed(note));
  return lines.join('\n');
}

export function withoutDrainNote(description: string): string {
  return description
    .split('\n')
    .filter((line) => !LINE.test(line.trim()))
    .join('\n');
}

function printed({ host, until, run }: DrainNote): string {
  return [
    `drained-from ${host}`,
    ...(until === undefined ? [] : [`until ${until}`]),
    ...(run === undefined ? [] : [`run ${run}`]),
  ].join(' ');
}
