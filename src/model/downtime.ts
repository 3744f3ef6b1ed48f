/** How long nodes were away during a run, from its events. */
import type { RunEvent } from './events.js';

export interface Absence {
  readonly node: string;
  readonly reason: string;
  readonly from: number;
  /** Absent: it had not come back when the events end. */
  readonly to?: number;
}

/** In the order in which the nodes went. A node that goes twice without coming back was away from the first time on. */
export function downtimesIn(events: Iterable<RunEvent>): Absence[] {
  const absences: Absence[] = [];
  const open = new Map<string, number>();
  for (const event of events) {
    if (event.type === 'node-away' && !open.has(event.node)) {
      open.set(event.node, absences.length);
      absences.push({ node: event.node, reason: event.reason, from: event.at });
    }
    if (event.type === 'node-back') {
      const index = open.get(event.node);
      const absence = index === undefined ? undefined : absences[index];
      if (index === undefined || !absence) continue;
      absences[index] = { ...absence, to: event.at };
      open.delete(event.node);
    }
  }
  return absences;
}

export interface TimeAway {
  readonly node: string;
  readonly times: number;
  readonly ms: number;
  /** Not back yet. */
  readonly still: boolean;
}

/** Per node, all its absences together; one that is open counts until `now`. */
export function timeAway(absences: readonly Absence[], now: number): TimeAway[] {
  const byNode = new Map<string, TimeAway>();
  for (const { node, from, to } of absences) {
    const before = byNode.get(node) ?? { node, times: 0, ms: 0, still: false };
    byNode.set(node, {
      node,
      times: before.times + 1,
      ms: before.ms + (to ?? now) - from,
      still: before.still || to === undefined,
    });
  }
  return [...byNode.values()];
}
