/**
 * A data VM's description says which drive is which volume: WWNs are hashes, and a parked volume is in no config.
 * Lines `volume <wwn> <name>` stand below whatever else it says, with ` was <first name>` where the volume was renamed:
 * its WWN is the hash of the first name. They are hints, and permit nothing: a name counts where its hash is the WWN.
 * (0.1.0 also wrote lines `deleting …`; they are read over.) On the data VM of a control plane a line `etcd …` says what its
 * EPHEMERAL disk is to etcd: `member`; `left`, with an empty data directory; `removed <member id>`, which must never be
 * started again, because the others would refuse it for ever; `fresh` or `restore`, a new disk of a cluster that begins
 * again, empty or from a snapshot, and has not begun yet.
 */
import { parseWwn, type Wwn } from '../../model/identity.js';
import { compareText } from '../../model/natural-order.js';

export interface DataNotes {
  readonly names: ReadonlyMap<Wwn, string>;
  /** The name a renamed volume was made with. */
  readonly firstNames?: ReadonlyMap<Wwn, string>;
  /** Absent on the data VM of a worker. */
  readonly etcd?: EtcdNote;
}

export type EtcdNote =
  | { readonly state: 'member' | 'left' | 'fresh' | 'restore' }
  /** The id as etcd prints it, in hex; absent where it was not known any more. */
  | { readonly state: 'removed'; readonly memberId?: string };

export function parseDataNotes(description: string): DataNotes {
  const names = new Map<Wwn, string>();
  const firstNames = new Map<Wwn, string>();
  let etcd: EtcdNote | undefined;
  for (const line of description.split('\n')) {
    etcd = parseEtcdNote(line.trim()) ?? etcd;
    const [, hex = '', name, first] = VOLUME_LINE.exec(line.trim()) ?? [];
    const wwn = parseWwn(hex);
    if (!wwn || name === undefined) continue;
    names.set(wwn, name);
    if (first !== undefined) firstNames.set(wwn, first);
  }
  return { names, ...(firstNames.size > 0 && { firstNames }), ...(etcd && { etcd }) };
}

function parseEtcdNote(line: string): EtcdNote | undefined {
  const match = ETCD_LINE.exec(line);
  if (!match) return undefined;
  const state = STATES.find((name) => name === match[1]) ?? 'member';
  if (state !== 'removed') return { state };
  return { state: 'removed', ...(match[2] !== undefined && { memberId: match[2] }) };
}

const STATES = ['member', 'left', 'fresh', 'restore', 'removed'] as const;
const VOLUME_LINE = /^volume (0x[0-9a-f]{16}) (\S+)(?: was (\S+))?$/;
const ETCD_LINE = /^etcd (member|left|fresh|restore|removed)(?: ([0-9a-f]+))?$/;

/** Sorted, so that the same volumes give the same text. `text` is what the description says besides. */
export function printDataNotes(text: string, notes: DataNotes): string {
  const lines = [...volumeLines(notes), ...(notes.etcd ? [printEtcdNote(notes.etcd)] : [])];
  return [text, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}

function printEtcdNote(note: EtcdNote): string {
  const memberId = note.state === 'removed' && note.memberId !== undefined ? ` ${note.memberId}` : '';
  return `etcd ${note.state}${memberId}`;
}

function volumeLines({ names, firstNames }: DataNotes): string[] {
  return [...names]
    .sort(([wwnA, a], [wwnB, b]) => compareText(a, b) || compareText(wwnA, wwnB))
    .map(([wwn, name]) => {
      const first = firstNames?.get(wwn);
      return `volume ${wwn} ${name}${first === undefined || first === name ? '' : ` was ${first}`}`;
    });
}

/** The description without our lines. */
export function textOfDescription(description: string): string {
  return description
    .split('\n')
    .filter((line) => !VOLUME_LINE.test(line.trim()))
    .filter((line) => !/^deleting 0x[0-9a-f]{16} \S+$/.test(line.trim()))
    .filter((line) => !ETCD_LINE.test(line.trim()))
    .join('\n')
    .trimEnd();
}

/** The description with other notes, and whatever else it says. */
export function changeNotes(description: string, change: (notes: DataNotes) => DataNotes): string {
  return printDataNotes(textOfDescription(description), change(parseDataNotes(description)));
}
