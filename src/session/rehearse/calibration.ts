/** How long steps take on this hardware, from the journals of real runs: the lab's own times are not those of any rack. */
import type { Journal } from '../journal/journal-file.js';
import type { Rehearsal } from './rehearsal.js';

interface Spread {
  readonly p50: number;
  readonly p90: number;
}

/** By `kind host`, and by `kind` for hosts that no run has touched yet. */
type Durations = ReadonlyMap<string, Spread>;

export interface Calibrated {
  /** How many runs it was learned from. */
  readonly runs: number;
  readonly ms: Spread;
  readonly away: readonly ({ readonly node: string } & Spread)[];
}

type HostOf = (node: string) => string | undefined;

/** `undefined`: no run has shown anything yet. */
export function calibrated(
  { steps, absences, ms }: Pick<Rehearsal, 'steps' | 'absences' | 'ms'>,
  journals: readonly Journal[],
  hostOf: HostOf,
): Calibrated | undefined {
  const durations = durationsIn(journals, hostOf);
  if (durations.size === 0) return undefined;
  const nodes = [...new Set(absences.map(({ node }) => node))];
  const away = nodes.map((node) => {
    const own = absences.filter((absence) => absence.node === node);
    const during = steps.filter(
      (step) => step.node === node && own.some(({ from, to = ms }) => step.from >= from && step.from < to),
    );
    const lab = own.reduce((sum, { from, to = ms }) => sum + to - from, 0);
    const known = during.map(({ kind, from, to = ms }) => ({
      lab: to - from,
      spread: durations.get(`${kind} ${hostOf(node) ?? ''}`) ??
        durations.get(kind) ?? { p50: to - from, p90: to - from },
    }));
    const plus = (of: keyof Spread): number =>
      Math.max(0, lab + known.reduce((sum, one) => sum + one.spread[of] - one.lab, 0));
    return { node, lab, p50: plus('p50'), p90: plus('p90') };
  });
  const more = (of: keyof Spread): number => ms + away.reduce((sum, one) => sum + one[of] - one.lab, 0);
  return {
    runs: journals.length,
    ms: { p50: Math.max(0, more('p50')), p90: Math.max(0, more('p90')) },
    away: away.map(({ node, p50, p90 }) => ({ node, p50, p90 })),
  };
}

function durationsIn(journals: readonly Journal[], hostOf: HostOf): Durations {
  const seen = new Map<string, number[]>();
  const add = (key: string, ms: number): void => void seen.set(key, [...(seen.get(key) ?? []), ms]);
  for (const { events } of journals) {
    const nodes = new Map(
      events.flatMap((event) => (event.type === 'step-started' ? [[event.step, event.node] as const] : [])),
    );
    const busy = (node: string): boolean => [...nodes.values()].filter((one) => one === node).length > 1;
    for (const event of events) {
      if (event.type !== 'step-done' || event.already) continue;
      const kind = event.step.split(':')[0] ?? '';
      const node = nodes.get(event.step);
      // What an interrupted run has left to uncordon was up long ago.
      if (kind === 'end-disruption' && node !== undefined && !busy(node)) continue;
      add(kind, event.ms);
      const host = node === undefined ? undefined : hostOf(node);
      if (host !== undefined) add(`${kind} ${host}`, event.ms);
    }
  }
  return new Map(
    [...seen].map(([key, times]) => {
      const sorted = times.sort((a, b) => a - b);
      return [key, { p50: quantile(sorted, 0.5), p90: quantile(sorted, 0.9) }];
    }),
  );
}

/** The smallest value that this part of all does not exceed. */
function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
}
