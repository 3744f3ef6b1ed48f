/** Replicas as processes, killed with -9 at each kind of event of an apply; in `test:full` at each event. */
import { describe, it } from 'vitest';
import { ServedFleet } from '../support/fleet/processes.js';
import { baseline, expectNothingTwice, holderOf, isEvent, starts } from '../support/fleet/undisturbed.js';
import { remembered, series, tier } from '../support/shard.js';

/** Kind of event, and how many of its kind come first. In `test:full` at each of all of them. */
async function moments(): Promise<{ kind: string; at: number }[]> {
  const { events } = await baseline();
  const kinds = ['run-started', 'step-started', 'step-progress', 'step-done', 'run-ended'];
  return kinds.flatMap((kind) => {
    const all = events.get(kind) ?? 0;
    if (tier() === 'full') return Array.from({ length: all }, (_, index) => ({ kind, at: index + 1 }));
    return all === 0 ? [] : [{ kind, at: Math.ceil(all / 2) }];
  });
}

describe('a replica that is killed with -9', () => {
  it('at each kind of event leaves what another one finishes, and nothing is written twice', async () => {
    const { first, step } = series({});
    for (const { kind, at } of await moments()) {
      // How many tell of progress differs between two runs: counted by kind, no moment falls between two shards.
      if (at % step !== first) continue;
      await remembered(`fleet-processes ${kind} ${at}`, async () => {
        await killedAt(kind, at);
        return [];
      });
    }
  });
});

async function killedAt(kind: string, at: number): Promise<void> {
  const fleet = await ServedFleet.start();
  try {
    const replicas = starts(fleet);
    await fleet.approve();
    const holder = await holderOf(replicas);
    await holder.logged(`${kind} ${at}`, isEvent(kind), at);
    holder.kill('SIGKILL');
    await holder.ended;
    await fleet.untilReady(/^True/);
    await expectNothingTwice(fleet);
  } finally {
    await fleet.stop();
  }
}
