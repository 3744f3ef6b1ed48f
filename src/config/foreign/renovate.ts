/** Comments by which Renovate finds a version: they stay with the value when a config is converted. */

export interface KeptComment {
  readonly text: string;
  /** Behind the value, or on the line before its key, as it stood. */
  readonly place: 'behind' | 'before';
}

/** The comments of one text; lines count from 1. */
export function renovateComments(text: string): (line: number) => KeptComment | undefined {
  if (!text.includes('renovate:')) return () => undefined;
  let lines: readonly string[] | undefined;
  return (line) => {
    lines ??= text.split(/\r\n|\r|\n/);
    return commentAt(lines, line);
  };
}

const RENOVATE = /(?:#|\/\/)\s*(renovate:.*)$/;

function commentAt(lines: readonly string[], line: number): KeptComment | undefined {
  const behind = RENOVATE.exec(lines[line - 1] ?? '')?.[1];
  if (behind !== undefined) return { text: behind.trim(), place: 'behind' };
  const previous = (lines[line - 2] ?? '').trim();
  const before = /^(?:#|\/\/)/.test(previous) ? RENOVATE.exec(previous)?.[1] : undefined;
  return before === undefined ? undefined : { text: before.trim(), place: 'before' };
}
