import { type CelInput, type CelValue, celMap, isCelMap } from '@bufbuild/cel';

/** Values that CEL has no type for (optional, quantity, address) are maps with one key that no field can have. */
export const tagged = (tag: string, value: CelInput): CelInput => celMap(new Map([[tag, value]]));

export const inside = (value: CelValue, tag: string): CelValue | undefined =>
  isCelMap(value) ? value.get(tag) : undefined;

/** Every value is an input as well; the library's types do not say so. */
export function asInput(value: CelValue): CelInput {
  return value as CelInput;
}
