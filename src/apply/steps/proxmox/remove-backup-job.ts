import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { verifyFailed } from '../../support/read-vm.js';

export const removeBackupJob: Executor<'remove-backup-job'> = async ({ job: id, tag }, { client }) => {
  const find = async () => (await client.backupJobs()).find((job) => job.id === id);
  const job = await find();
  if (!job) return ALREADY;
  if (job.settings.comment?.includes(`(${tag})`) !== true)
    throw verifyFailed(`the backup job ${id} was changed meanwhile and is not removed`);
  await client.deleteBackupJob(id);
  if (await find()) throw verifyFailed(`the backup job ${id} is still there`);
  return DONE;
};
