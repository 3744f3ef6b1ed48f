import type { Clock } from '../../model/clock.js';
import { isKubernetesError, KubernetesError } from './errors.js';
import type { WaitOptions } from './types.js';

const POLL = 2_000;

/** Reads until it is as wanted; an API server that is away for a while is waited for as well. */
export async function waitUntil<T>(
  clock: Clock,
  read: () => Promise<T | undefined>,
  check: (object: T | undefined) => boolean,
  { what, where }: { readonly what: string; readonly where: string },
  { timeoutMs, intervalMs = POLL, signal }: WaitOptions,
): Promise<T | undefined> {
  const end = clock.elapsed() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const object = await read();
      if (check(object)) return object;
      last = undefined;
    } catch (error) {
      if (!isKubernetesError(error, 'kubernetes.unreachable', 'kubernetes.busy', 'kubernetes.failed'))
        throw error;
      last = error;
    }
    if (clock.elapsed() >= end) break;
    await clock.sleep(Math.min(intervalMs, end - clock.elapsed()), signal);
  }
  const seconds = Math.round(timeoutMs / 1000);
  throw new KubernetesError('kubernetes.timeout', `${what} did not become as wanted within ${seconds} s`, {
    where,
    ...(last === undefined ? {} : { cause: last }),
  });
}
