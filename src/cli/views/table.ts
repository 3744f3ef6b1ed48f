import { withoutControls } from './terminal-text.js';

/** Columns as wide as their content; colours do not count. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows];
  const widths = head.map((_, column) => Math.max(...all.map((row) => visibleLength(row[column] ?? ''))));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - visibleLength(cell)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Columns that it takes; colours take none. */
export function visibleLength(text: string): number {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
  return withoutControls(text.replace(/\x1b\{\w+\}\[[0-9;]*m/g, '')).length;
}
