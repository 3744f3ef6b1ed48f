/**
 * Waits of a run share one signal. Each runtime listener on it would count toward Node's limit of 10, after which Node
 * warns of a leak; so a signal has one listener for all of them, and none while there is no wait.
 */
const waits = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `work` once when the signal is aborted; the answer cancels that. */
export function onAbort(signal: AbortSignal, work: () => void): () => void {
  const existing = waits.get(signal);
  const all = existing ?? new Set();
  // A set holds a function once, and two waits may give the same one.
  const own = () => work();
  all.add(own);
  if (!existing) {
    waits.set(signal, all);
    signal.addEventListener('abort', wakeAll, { once: true });
  }
  return () => {
    all.delete(own);
    if (all.size > 0 || waits.get(signal) !== all) return;
    waits.delete(signal);
    signal.removeEventListener('abort', wakeAll);
  };
}

function wakeAll({ target }: Event): void {
  if (!(target instanceof AbortSignal)) return;
  const all = waits.get(target) ?? [];
  waits.delete(target);
  for (const work of all) work();
}
