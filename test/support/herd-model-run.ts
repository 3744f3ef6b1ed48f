/** Runs the model over copies of one cluster, the same ones for the same seed. */
import fc from 'fast-check';
import { BLOW_STEPS } from './herd-blows.js';
import { EDITS, editStep } from './herd-edits.js';
import { type Bench, foreignVm, type HerdModel, modelOf } from './herd-model.js';
import type { RunningHerd } from './rolling.js';

const FOREIGN = 900;

export interface ModelRun {
  readonly seed: number;
  readonly runs: number;
  readonly commands: number;
  /** Where a counterexample was found: `fc.assert` prints it. */
  readonly path?: string;
  readonly replayPath?: string;
}

/** How many steps were taken. */
export async function checkHerdModel(running: RunningHerd, run: ModelRun): Promise<number> {
  let taken = 0;
  const steps = fc.commands<HerdModel, Bench, true>([EDITS.map(editStep), EDITS.map(editStep), BLOW_STEPS], {
    maxCommands: run.commands,
    size: 'max',
    ...(run.replayPath !== undefined && { replayPath: run.replayPath }),
  });
  await fc.assert(
    fc.asyncProperty(steps, async (commands) => {
      const site = await running.copy();
      try {
        await site.byHand((hand) =>
          hand.runTask(() => hand.createVm('pve1', FOREIGN, { name: 'somebody-else', scsi0: 'local-zfs:1' })),
        );
        const real: Bench = {
          site,
          foreign: FOREIGN,
          foreignBefore: foreignVm(site, FOREIGN),
        };
        await fc.asyncModelRun(() => ({ model: modelOf(running.first), real }), commands);
        taken += String(commands).split(',').filter(Boolean).length;
      } finally {
        await running.removeCopies();
      }
    }),
    {
      seed: run.seed,
      numRuns: run.runs,
      // Long sequences as often as short ones.
      unbiased: true,
      endOnFailure: run.runs === 1,
      ...(run.path !== undefined && { path: run.path }),
    },
  );
  return taken;
}
