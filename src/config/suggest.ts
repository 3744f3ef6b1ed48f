/** Longer than any key; the distance takes as many steps as both words have characters, multiplied. */
const LONGEST = 64;
/** Of more words than this none is looked for any further. */
const MOST = 1_000;

/** The known word that was probably meant, or `undefined` when none is near enough. */
export function suggest(word: string, known: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  const wanted = normalise(word);
  let best: string | undefined;
  let bestDistance = Number.POSITIVE_INFINITY;
  let looked = 0;
  for (const candidate of known) {
    if (++looked > MOST) break;
    if (candidate.length > LONGEST) continue;
    const other = normalise(candidate);
    // `disk_size`, `DiskSize` and `disk-size` differ from `diskSize` in spelling only.
    const distance = wanted === other ? 0 : editDistance(wanted, other);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best !== undefined && bestDistance <= Math.max(1, Math.floor(wanted.length / 3)) ? best : undefined;
}

function normalise(word: string): string {
  return word.toLowerCase().replaceAll(/[_\s-]/g, '');
}

/** Insertions, deletions, replacements and swaps of neighbours, each counted as one. */
export function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1;
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
