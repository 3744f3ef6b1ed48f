import { DONE, type Executor } from '../../support/context.js';
import { StepError } from '../../support/read-vm.js';

/** A member that has left cannot come back with its data: what etcd holds is safe on disk before. */
export const takeSnapshot: Executor<'take-snapshot'> = async (step, { snapshots, progress }) => {
  if (!snapshots) throw new StepError('apply.no-snapshots', 'this run cannot take snapshots of etcd');
  await snapshots.take(step.controlPlanes, progress);
  return DONE;
};
