/**
 * Requests to the manager wait until it looks next: ten seconds after the last one, twenty after the first.
 * One that has nothing to do yet takes longer to begin while requests keep coming.
 */
import type { Pve } from '../api.js';
import { type HaCommand, readManager, writeManager } from './state.js';

export const HA_EVENT = 'pve/ha';
const HA_CYCLE = 10_000;
const LONGEST_WAIT = 20_000;
const LONGEST_START = 60_000;

export function queueCommand(pve: Pve, command: HaCommand): void {
  writeManager(pve, { commands: [...readManager(pve).commands, command] });
  wakeManager(pve);
}

/** Something has changed: it is looked at together with what follows at once. */
export function wakeManager(pve: Pve): void {
  const { timeline, clock } = pve.core;
  const { wake, master } = readManager(pve);
  const longest = master === undefined ? LONGEST_START : LONGEST_WAIT;
  const first = wake?.first ?? clock.now();
  const at = Math.min(clock.now() + HA_CYCLE, Math.max(first + longest, clock.now()));
  if (wake) timeline.cancel(wake.event);
  const event = timeline.after(at - clock.now(), HA_EVENT, {});
  writeManager(pve, { wake: { event, at, first } });
}

/** As long as there is something to look after. */
export function nextCycle(pve: Pve): void {
  const { timeline, clock } = pve.core;
  const event = timeline.after(HA_CYCLE, HA_EVENT, {});
  const at = clock.now() + HA_CYCLE;
  writeManager(pve, { wake: { event, at, first: at } });
}
