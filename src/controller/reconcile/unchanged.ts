/** Whether a merge patch would change anything: what stays the same is not written, and wakes no watch. */
import { isDeepStrictEqual } from 'node:util';
import { isMapping } from '../../formats/text/mapping.js';

/** Fields that tell how old the rest is; alone they are written once in a while. */
const BEATS = ['lastObserved', 'lastProbe', 'requestsPerMinute'];
const BEAT_MS = 3_600_000;

/** `now`: milliseconds since the epoch. */
export function changesStatus(
  before: unknown,
  patch: Readonly<Record<string, unknown>>,
  now: number,
): boolean {
  const known = isMapping(before) ? before : {};
  const rest = Object.fromEntries(Object.entries(patch).filter(([key]) => !BEATS.includes(key)));
  if (changes(known, rest)) return true;
  const [beat] = BEATS.filter((key) => key in patch);
  if (beat === undefined) return false;
  const last = Date.parse(String(known.lastObserved ?? known.lastProbe ?? ''));
  return Number.isNaN(last) || now - last >= BEAT_MS;
}

/** By the rules of RFC 7386. */
function changes(
  before: Readonly<Record<string, unknown>>,
  patch: Readonly<Record<string, unknown>>,
): boolean {
  return Object.entries(patch).some(([key, value]) => {
    const old = before[key];
    if (value === undefined) return false;
    if (value === null) return old !== undefined;
    if (isMapping(value)) return !isMapping(old) || changes(old, value);
    return !isDeepStrictEqual(old, value);
  });
}
