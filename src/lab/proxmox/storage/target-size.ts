import { PveError } from '../api.js';

/** `+1G` adds; without a unit the number is bytes. */
export function targetSize(text: string, size: number): number {
  const match = /^(\+)?(\d+(?:\.\d+)?)([KMGT])?$/.exec(text);
  if (!match) throw new PveError(500, 'internal error');
  const power = 'KMGT'.indexOf(match[3] ?? ' ') + 1;
  return Math.floor(Number(match[2]) * 1024 ** power + (match[1] ? size : 0));
}
