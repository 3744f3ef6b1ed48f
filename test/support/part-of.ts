/**
 * A part of a large value, for a test of what uses no other part of it. The fields that are given are checked against the
 * type; what is not given must not be read.
 */
/** Ids, addresses and the like, which are text or numbers with a brand, may be written plainly. */
type Plain<T, Bare> = [Exclude<keyof T, keyof Bare>] extends [never] ? T : Bare;

export type Part<T> = unknown extends T
  ? T
  : T extends string
    ? Plain<T, string>
    : T extends number
      ? Plain<T, number>
      : T extends bigint | boolean | symbol | null | undefined
        ? T
        : T extends (...args: never[]) => unknown
          ? T | ((...args: Parameters<T>) => Part<ReturnType<T>>)
          : T extends Promise<infer V>
            ? Promise<Part<V>>
            : T extends ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
              ? T
              : T extends readonly (infer I)[]
                ? readonly Part<I>[]
                : T | { readonly [K in keyof T]?: Part<T[K]> };

export function partOf<T>(fields: Part<T>): T {
  return fields as T;
}
