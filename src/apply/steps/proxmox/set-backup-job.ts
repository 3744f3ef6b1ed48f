import { differingSettings } from '../../../plan/vms/plan-backup.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { verifyFailed } from '../../support/read-vm.js';

export const setBackupJob: Executor<'set-backup-job'> = async ({ job: id, settings }, { client }) => {
  const find = async () => (await client.backupJobs()).find((job) => job.id === id);
  const there = await find();
  if (there && differingSettings(settings, there.settings).length === 0) return ALREADY;
  if (there) await client.updateBackupJob(id, settings);
  else await client.createBackupJob(id, settings);
  const after = await find();
  if (!after || differingSettings(settings, after.settings).length > 0)
    throw verifyFailed(`the backup job ${id} differs from what was written`);
  return DONE;
};
