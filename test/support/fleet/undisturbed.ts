/** A run that no one disturbed, to compare others with: what it wrote, and how often. */
import { expect } from 'vitest';
import { type LogLine, type ReplicaProcess, ServedFleet, until } from './processes.js';

export const isEvent = (kind: string) => (line: LogLine) => line.message === kind;
export const starts = (fleet: ServedFleet) => ['a', 'b'].map((name) => fleet.replica(name));

/** The replica that carries out the run. */
export async function holderOf(replicas: readonly ReplicaProcess[]): Promise<ReplicaProcess> {
  const runs = () => replicas.find((replica) => replica.log().some(isEvent('run-started')));
  await until('a run is started', async () => runs() !== undefined);
  const holder = runs();
  if (!holder) throw new Error('no replica runs');
  return holder;
}

/** What each write was done in a run that no one disturbed; made once. */
let undisturbed: Promise<{ writes: Map<string, number>; events: Map<string, number> }> | undefined;
export function baseline() {
  undisturbed ??= (async () => {
    const fleet = await ServedFleet.start();
    const replicas = starts(fleet);
    await fleet.approve();
    await fleet.untilReady(/^True/);
    const events = new Map<string, number>();
    for (const { message } of replicas.flatMap((replica) => replica.log()))
      events.set(message, (events.get(message) ?? 0) + 1);
    const writes = fleet.writes();
    await fleet.stop();
    return { writes, events };
  })();
  return undisturbed;
}

/** Nothing was done more often than in an undisturbed run. */
export async function expectNothingTwice(fleet: ServedFleet): Promise<void> {
  const { writes } = await baseline();
  const more = [...fleet.writes()].filter(([key, count]) => count > (writes.get(key) ?? 0));
  expect(more).toEqual([]);
  for (const key of writes.keys())
    if (key.startsWith('task ')) expect([...fleet.writes().keys()]).toContain(key);
}
