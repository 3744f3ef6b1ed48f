import { OxherdError } from '../../model/error.js';

/** What passes by itself: it is tried again, and no person has to act. */
const PASSING =
  /^(proxmox\.(unreachable|dropped|timeout|busy|no-quorum)|talos\.unreachable|kubernetes\.(unreachable|busy)|lock\.(lost|unconfirmed)|fleet\.lease-lost)$/;

export function isPassing(code: string): boolean {
  return PASSING.test(code);
}

/** An error as a message of a condition: what is wrong, and what to do. */
export function wordsOf(error: unknown): string {
  const { message, advice } = OxherdError.from(error);
  return advice === undefined ? message : `${message} (${advice})`;
}
