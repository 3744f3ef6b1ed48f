/** Where in the user's files a value stands. Readers of any format bring such a look-up with the raw object. */

/** Keys and list indexes from the root: `['nodes', 'cp', 'hosts', 0]`. */
export type Path = readonly (string | number)[];

export interface Position {
  readonly file: string;
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
}

/** The position of a value, or of its key; of the nearest parent where there is none. */
export type PositionOf = (path: Path, part?: 'key' | 'value') => Position;

export function formatPath(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? step : `.${step}`;
  }
  return text;
}

export function isPrefix(prefix: Path, path: Path): boolean {
  return prefix.length <= path.length && prefix.every((step, i) => step === path[i]);
}
