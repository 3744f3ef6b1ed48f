/**
 * A data VM's description says which drive is which volume: WWNs are hashes, and a parked volume is in no config.
 * Lines `volume <wwn> <name>` stand below whatever else it says. While a volume is being deleted a line
 * `deleting <wwn> <volume id>` says so: Proxmox forgets a WWN on the way, and a deletion that was cut off must be
 * told from a disk that somebody detached by hand. On the data VM of a control plane a line `etcd …` says what its
 * EPHEMERAL disk is to etcd: `member`; `left`, with an empty data directory; `removed <member id>`, which must never be
 * started again, because the others would refuse it for ever; `fresh` or `restore`, a new disk of a cluster that begins
 * anew, empty or from a snapshot, and has not begun yet.
 */
import { parseWwn, type Wwn } from '../model/identity.js';

export interface DataNotes {
  readonly names: ReadonlyMap<Wwn, string>;
  readonly deleting: ReadonlyMap<Wwn, string>;
  /** Absent on the data VM of a worker. */
  readonly etcd?: EtcdNote;
}

export type EtcdNote =
  | { readonly state: 'member' | 'left' | 'fresh' | 'restore' }
  /** The id as etcd prints it, in hex; absent where it was not known any more. */
  | { readonly state: 'removed'; readonly memberId?: string };

export function parseDataNotes(description: string): DataNotes {
  const names = new Map<Wwn, string>();
  const deleting = new Map<Wwn, string>();
  let etcd: EtcdNote | undefined;
  for (const line of description.split('\n')) {
    etcd = parseEtcdNote(line.trim()) ?? etcd;
    const match = /^(volume|deleting) (0x[0-9a-f]{16}) (\S+)$/.exec(line.trim());
    const wwn = parseWwn(match?.[2] ?? '');
    if (wwn && match?.[3]) (match[1] === 'volume' ? names : deleting).set(wwn, match[3]);
  }
  return { names, deleting, ...(etcd && { etcd }) };
}

function parseEtcdNote(line: string): EtcdNote | undefined {
  const match = ETCD_LINE.exec(line);
  if (!match) return undefined;
  const state = STATES.find((name) => name === match[1]) ?? 'member';
  if (state !== 'removed') return { state };
  return { state: 'removed', ...(match[2] !== undefined && { memberId: match[2] }) };
}

const STATES = ['member', 'left', 'fresh', 'restore', 'removed'] as const;
const ETCD_LINE = /^etcd (member|left|fresh|restore|removed)(?: ([0-9a-f]+))?$/;

/** Sorted, so that the same volumes give the same text. `text` is what the description says besides. */
export function printDataNotes(text: string, notes: DataNotes): string {
  const lines = [
    ...linesOf('volume', notes.names),
    ...linesOf('deleting', notes.deleting),
    ...(notes.etcd ? [printEtcdNote(notes.etcd)] : []),
  ];
  return [text, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}

function printEtcdNote(note: EtcdNote): string {
  const memberId = note.state === 'removed' && note.memberId !== undefined ? ` ${note.memberId}` : '';
  return `etcd ${note.state}${memberId}`;
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
    .filter((line) => !ETCD_LINE.test(line.trim()))
    .join('\n')
    .trimEnd();
}

/** The description with other notes, and whatever else it says. */
export function changeNotes(description: string, change: (notes: DataNotes) => DataNotes): string {
  return printDataNotes(textOfDescription(description), change(parseDataNotes(description)));
}
