/** Text for a terminal of so many columns; one that is not a terminal has no end of its lines. */
import type { CliContext } from '../../context.js';
import { table, visibleLength } from '../table.js';

const NARROWEST = 40;

export function columnsOf({ stdout }: Pick<CliContext, 'stdout'>): number {
  if (!stdout.isTTY) return Number.POSITIVE_INFINITY;
  return Math.max(stdout.columns ?? 80, NARROWEST);
}

/** Lines that are longer are broken at spaces, and go on `behind` columns behind where they began. */
export function fitted(text: string, width: number, behind = 2): string {
  if (width === Number.POSITIVE_INFINITY) return text;
  return text
    .split('\n')
    .flatMap((line) => (visibleLength(line) <= width ? [line] : broken(line, width, behind)))
    .join('\n');
}

function broken(line: string, width: number, behind: number): string[] {
  const [start = ''] = /^ */.exec(line) ?? [];
  const indent = start + ' '.repeat(behind);
  const lines: string[] = [];
  let current = start;
  for (const word of line.slice(start.length).split(' ')) {
    const longer = current.trim() === '' ? current + word : `${current} ${word}`;
    if (visibleLength(longer) > width && current.trim() !== '') {
      lines.push(current.trimEnd());
      current = indent + word;
    } else current = longer;
  }
  return [...lines, current];
}

/** At most `width` characters, the rest told by an ellipsis. */
export function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(width - 1, 0))}…`;
}

/** A table that leaves out columns, in the order of `spare`, until it fits. */
export function fittedTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
  spare: readonly string[],
): { readonly text: string; readonly left: readonly string[] } {
  for (let count = 0; ; count += 1) {
    const left = spare.slice(0, count);
    const shown = head.flatMap((name, at) => (left.includes(name) ? [] : [at]));
    const pick = (row: readonly string[]) => shown.map((at) => row[at] ?? '');
    const text = table(pick(head), rows.map(pick));
    const fits = text.split('\n').every((line) => visibleLength(line) <= width);
    if (fits || count === spare.length) return { text, left };
  }
}
