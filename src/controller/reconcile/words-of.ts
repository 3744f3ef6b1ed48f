import { OxherdError } from '../../model/error.js';

/** An error as a message of a condition: what is wrong, and what to do. */
export function wordsOf(error: unknown): string {
  const { message, advice } = OxherdError.from(error);
  return advice === undefined ? message : `${message} (${advice})`;
}
