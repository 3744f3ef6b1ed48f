import { ALREADY, DONE, type Executor } from '../../support/context.js';

export const deleteCsiVolume: Executor<'delete-csi-volume'> = async (step, { client }) => {
  const there = (await client.storageContent(step.host, step.storage)).some(
    (volume) => volume.volid === step.volid,
  );
  if (!there) return ALREADY;
  await client.runTask(() => client.deleteVolume(step.host, step.volid));
  return DONE;
};
