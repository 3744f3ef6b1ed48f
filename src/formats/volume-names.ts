/**
 * A data VM's description says which drive is which volume: WWNs are hashes, and a parked volume is in no config.
 * Lines `volume <wwn> <name>` below whatever else the description says.
 */
import { parseWwn, type Wwn } from '../model/identity.js';

export function parseVolumeNames(description: string): ReadonlyMap<Wwn, string> {
  const names = new Map<Wwn, string>();
  for (const line of description.split('\n')) {
    const match = /^volume (0x[0-9a-f]{16}) (\S+)$/.exec(line.trim());
    const wwn = parseWwn(match?.[1] ?? '');
    if (wwn && match?.[2]) names.set(wwn, match[2]);
  }
  return names;
}

/** Sorted by name, so that the same volumes give the same text. */
export function describeVolumes(text: string, names: ReadonlyMap<Wwn, string>): string {
  const lines = [...names]
    .sort(([wwnA, a], [wwnB, b]) => a.localeCompare(b, 'en') || wwnA.localeCompare(wwnB, 'en'))
    .map(([wwn, name]) => `volume ${wwn} ${name}`);
  return [text, ...(lines.length > 0 ? ['', ...lines] : [])].join('\n');
}
