import type { Known } from '../../observe/observed.js';

/** What was read, or what stands for it where it could not be. */
export function orElse<T>(known: Known<T>, otherwise: T): T {
  return known.known ? known.value : otherwise;
}
