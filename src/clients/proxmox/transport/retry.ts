/** When a failed request is sent again, and after which pause. */
import type { Method } from '../encode.js';
import type { ProxmoxError } from '../errors.js';

export interface RetryPolicy {
  /** How often a request is sent at most. */
  readonly attempts: number;
  readonly baseMs: number;
  readonly maxMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { attempts: 5, baseMs: 250, maxMs: 4_000 };

/** A request that got no answer in time has already taken long. */
const ATTEMPTS_AFTER_TIMEOUT = 2;

/**
 * Only where the first attempt cannot have had an effect, or reading is all it does: a second `scsi1=store:10`
 * allocates a second disk.
 */
export function mayRepeat(
  error: ProxmoxError,
  method: Method,
  attempt: number,
  policy: RetryPolicy,
): boolean {
  if (attempt >= policy.attempts) return false;
  switch (error.code) {
    case 'proxmox.unreachable':
    case 'proxmox.lock-timeout':
      return true;
    case 'proxmox.host-down':
      // 595: the host's connection to the other host was never made.
      return method === 'GET' || error.status === 595;
    case 'proxmox.dropped':
    // A write is repeated by its step, which looks first whether it happened.
    case 'proxmox.user-lost':
      return method === 'GET';
    case 'proxmox.timeout':
      return method === 'GET' && attempt < ATTEMPTS_AFTER_TIMEOUT;
    default:
      return false;
  }
}

/** Doubles each time; half of it is chance, so that clients that failed together do not come back together. */
export function pauseBefore(attempt: number, policy: RetryPolicy, random: () => number): number {
  const full = Math.min(policy.maxMs, policy.baseMs * 2 ** (attempt - 1));
  return Math.round(full / 2 + (full / 2) * random());
}
