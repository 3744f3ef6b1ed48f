import { isProxmoxError } from '../../../clients/proxmox/errors.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { StepError } from '../../support/read-vm.js';

export const downloadImage: Executor<'download-image'> = async (
  step,
  { client, schematics, signal, progress },
) => {
  const isThere = async () =>
    (await client.storageContent(step.host, step.storage, { content: step.content })).some(
      (file) => file.volid === step.volid,
    );
  if (await isThere()) return ALREADY;
  await schematics.register(step.schematicId);
  const task = await client.downloadUrl(step.host, step.storage, {
    content: step.content,
    filename: step.filename,
    url: step.url,
  });
  try {
    await client.waitTask(task, { signal, onLog: (line) => progress(line) });
  } catch (error) {
    // A download can be cut short without harm: Proxmox removes what it had.
    if (signal.aborted) await client.stopTask(task).catch(() => undefined);
    // Another run, or another cluster with the same image, was faster.
    if (
      isProxmoxError(error, 'proxmox.task-failed') &&
      /refusing to override existing file/.test(error.message)
    )
      return ALREADY;
    throw error;
  }
  if (!(await isThere())) {
    throw new StepError(
      'apply.image-missing',
      `${step.volid} was downloaded, but the storage does not list it`,
      {
        advice: `check the content types of storage ${step.storage}`,
      },
    );
  }
  return DONE;
};
