/** Runs the model over copies of one cluster, the same ones for the same seed. */
import fc from 'fast-check';
import { foreignVm, type HerdModel, herdCommands } from './herd-model.js';
import type { RunningHerd } from './rolling.js';

const FOREIGN = 900;

export async function checkHerdModel(
  running: RunningHerd,
  { seed, runs, commands }: { seed: number; runs: number; commands: number },
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(herdCommands(commands), async (steps) => {
      const site = await running.copy();
      try {
        await site.byHand((hand) =>
          hand.runTask(() => hand.createVm('pve1', FOREIGN, { name: 'somebody-else', scsi0: 'local-zfs:1' })),
        );
        const model: HerdModel = {
          workers: running.first.workers ?? 3,
          memory: 4,
          volumes: { scratch: 1 },
        };
        const real = {
          site,
          first: running.first,
          foreign: FOREIGN,
          foreignBefore: foreignVm(site, FOREIGN),
        };
        await fc.asyncModelRun(() => ({ model, real }), steps);
      } finally {
        await running.removeCopies();
      }
    }),
    { seed, numRuns: runs, endOnFailure: runs === 1 },
  );
}
