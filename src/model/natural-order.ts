/** Names as people count them: `work-2` before `work-10`. By code units: the tables of a locale take ten milliseconds to load. */

const NUMBER = /\d+/y;

export function compareNaturally(a: string, b: string): number {
  let [left, right] = [0, 0];
  while (left < a.length && right < b.length) {
    const number = numberAt(a, left);
    const other = numberAt(b, right);
    const order =
      number === undefined || other === undefined
        ? a.charCodeAt(left) - b.charCodeAt(right)
        : Number(number) - Number(other);
    if (order !== 0) return order;
    left += number?.length ?? 1;
    right += other?.length ?? 1;
  }
  // One may be the beginning of the other, or written with fewer zeros.
  return a.length - left - (b.length - right) || a.length - b.length || compareText(a, b);
}

function numberAt(text: string, index: number): string | undefined {
  NUMBER.lastIndex = index;
  return NUMBER.exec(text)?.[0];
}

/** Code units, not a locale: the order must be the same on every machine. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
