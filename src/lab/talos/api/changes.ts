import type { Machine } from '../machine/machine.js';

/** One tick per burst of changes of the machine, until the call ends; with `first`, one at once. */
export async function* machineChanges(
  machine: Machine,
  signal: AbortSignal,
  options: { first?: boolean } = {},
) {
  let wake = () => {};
  let pending = options.first === true;
  const notify = () => {
    pending = true;
    wake();
  };
  const stop = machine.watch(notify);
  signal.addEventListener('abort', notify, { once: true });
  try {
    while (!signal.aborted) {
      if (!pending) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      pending = false;
      if (signal.aborted) return;
      yield;
    }
  } finally {
    stop();
    signal.removeEventListener('abort', notify);
  }
}
