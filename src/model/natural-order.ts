/** Names as people count them: `work-2` before `work-10`. By code units: the tables of a locale take ten milliseconds to load. */

const PARTS = /\d+|\D+/g;
const NUMBER = /^\d/;

export function compareNaturally(a: string, b: string): number {
  if (a === b) return 0;
  const right = b.match(PARTS) ?? [];
  for (const [index, part] of (a.match(PARTS) ?? []).entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareParts(part, other);
    if (order !== 0) return order;
  }
  // `a` may be the beginning of `b`, or written with fewer zeros.
  return a.length - b.length || compareText(a, b);
}

function compareParts(a: string, b: string): number {
  if (a === b) return 0;
  return NUMBER.test(a) && NUMBER.test(b) ? Number(a) - Number(b) : compareText(a, b);
}

/** Code units, not a locale: the order must be the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
