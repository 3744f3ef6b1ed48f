import { OxherdError } from '../model/error.js';
import { type Known, known, unknown } from './observed.js';

/** What cannot be read is unknown, and says why. */
export async function attempt<T>(read: () => Promise<T>): Promise<Known<T>> {
  try {
    return known(await read());
  } catch (error) {
    return unknown(OxherdError.from(error).message);
  }
}
