/** Many node names in few words: `cp-1, work-1 … work-40`. */

interface Numbered {
  readonly name: string;
  readonly prefix: string;
  readonly digits: string;
}

/** More parts than this are counted, not listed. */
const MOST_PARTS = 8;

/** Runs of three and more consecutive numbers become a range, in the order given. */
export function shortNames(names: readonly string[], most = MOST_PARTS): string {
  const runs: Numbered[][] = [];
  for (const name of names) {
    const next = numbered(name);
    const run = runs.at(-1);
    const last = run?.at(-1);
    if (run && last && follows(last, next)) run.push(next);
    else runs.push([next]);
  }
  const parts = runs.flatMap((run) =>
    run.length > 2
      ? [{ text: `${run[0]?.name} … ${run.at(-1)?.name}`, count: run.length }]
      : run.map(({ name }) => ({ text: name, count: 1 })),
  );
  if (parts.length <= most) return parts.map(({ text }) => text).join(', ');
  const left = parts.slice(most - 1).reduce((sum, { count }) => sum + count, 0);
  return `${parts
    .slice(0, most - 1)
    .map(({ text }) => text)
    .join(', ')} and ${left} more`;
}

/** As a heading: one node is its name, several have their number behind. */
export function nodesHeading(names: readonly string[]): string {
  return names.length === 1 ? (names[0] ?? '') : `${shortNames(names)} (${names.length} nodes)`;
}

function numbered(name: string): Numbered {
  const [, prefix = name, digits = ''] = /^(.*?)(\d+)$/.exec(name) ?? [];
  return { name, prefix, digits };
}

function follows(before: Numbered, after: Numbered): boolean {
  if (before.digits === '' || after.digits === '' || before.prefix !== after.prefix) return false;
  const next = String(Number(before.digits) + 1);
  return after.digits === next.padStart(before.digits.length, '0');
}
