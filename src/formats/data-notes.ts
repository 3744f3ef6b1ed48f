/**
 * A data VM's description says which drive is which volume: WWNs are hashes, and a parked volume is in no config.
 * Lines `volume <wwn> <name>` stand below whatever else it says. While a volume is being deleted a line
 * `deleting <wwn> <volume id>` says so: Proxmox forgets a WWN on the way, and a deletion that was cut off must be
 * told from a disk that somebody detached by hand.
 */
import { parseWwn, type Wwn } from '../model/identity.js';

export interface DataNotes {
  readonly names: ReadonlyMap<Wwn, string>;
  readonly deleting: ReadonlyMap<Wwn, string>;
}

export function parseDataNotes(description: string): DataNotes {
  const names = new Map<Wwn, string>();
  const deleting = new Map<Wwn, string>();
  for (const line of description.split('\n')) {
    const match = /^(volume|deleting) (0x[0-9a-f]{16}) (\S+)$/.exec(line.trim());
    const wwn = parseWwn(match?.[2] ?? '');
    if (wwn && match?.[3]) (match[1] === 'volume' ? names : deleting).set(wwn, match[3]);
  }
  return { names, deleting };
}

/** Sorted, so that the same volumes give the same text. `text` is what the description says besides. */
export function printDataNotes(text: string, notes: DataNotes): string {
  const lines = [...linesOf('volume', notes.names), ...linesOf('deleting', notes.deleting)];
  return [text, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}

function linesOf(word: string, entries: ReadonlyMap<Wwn, string>): string[] {
  return [...entries]
    .sort(([wwnA, a], [wwnB, b]) => a.localeCompare(b, 'en') || wwnA.localeCompare(wwnB, 'en'))
    .map(([wwn, value]) => `${word} ${wwn} ${value}`);
}

/** The description without our lines. */
export function textOfDescription(description: string): string {
  return description
    .split('\n')
    .filter((line) => !/^(volume|deleting) 0x[0-9a-f]{16} \S+$/.test(line.trim()))
    .join('\n')
    .trimEnd();
}
