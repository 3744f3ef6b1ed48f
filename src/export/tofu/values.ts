/** What the parts of the exported values share. */
import { OxherdError } from '../../model/error.js';
import { GIB } from '../../model/size.js';
import type { HclValue } from './hcl-print.js';

export type Values = Record<string, HclValue>;

/** The provider takes whole gigabytes. */
export function wholeGib(size: number, what: string): number {
  if (size % GIB === 0) return size / GIB;
  throw new OxherdError(
    'export.size',
    `${what} is not a whole number of GiB, and the provider takes no other`,
    {
      advice: `write ${Math.ceil(size / GIB)}GiB in the config`,
    },
  );
}
