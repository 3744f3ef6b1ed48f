/** In which order a plan takes nodes away: names that may go together stand together. */
import type { Step } from '../steps.js';

/** Nodes that are off until their host is back from maintenance. */
export function offUntilReturn(steps: readonly Step[]): string[] {
  return steps.flatMap((step) =>
    step.kind === 'begin-disruption' && step.stays && step.node !== undefined ? [step.node] : [],
  );
}

export function rollOrderOf(steps: readonly Step[]): string[][] {
  // One that stays off with its host has gone once its VM is down.
  const off = new Set(offUntilReturn(steps));
  const ends = new Map(
    steps.flatMap((step): [string, string][] =>
      step.kind === 'end-disruption' || (step.kind === 'stop-vm' && off.has(step.node ?? ''))
        ? [[step.id, step.node ?? '']]
        : [],
    ),
  );
  let waiting = steps.filter((step) => step.kind === 'begin-disruption');
  const begins = new Set(waiting.map((step) => step.node));
  const gone = new Set<string>();
  const order: string[][] = [];
  while (waiting.length > 0) {
    const next = waiting.filter((step) =>
      step.needs.every((need) => {
        const node = ends.get(need);
        return node === undefined || !begins.has(node) || gone.has(node);
      }),
    );
    // A plan never waits for itself; one that someone wrote by hand might.
    if (next.length === 0) return order;
    for (const step of next) gone.add(step.node ?? '');
    order.push(next.map((step) => step.node ?? ''));
    waiting = waiting.filter((step) => !next.includes(step));
  }
  return order;
}
