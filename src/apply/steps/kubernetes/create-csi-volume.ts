import { ALREADY, DONE, type Executor } from '../../support/context.js';

export const createCsiVolume: Executor<'create-csi-volume'> = async (step, { client }) => {
  const { host, storage, vmid, volumeName, size, format } = step;
  const there = (await client.storageContent(host, storage, { vmid })).some(
    (volume) => nameOf(volume.volid) === volumeName,
  );
  if (there) return ALREADY;
  await client.allocVolume(host, storage, { vmid, filename: await fileName(client, step), size, format });
  return DONE;
};

/** File storages want the format as the name's ending. */
async function fileName(
  client: Parameters<Executor<'create-csi-volume'>>[1]['client'],
  step: Parameters<Executor<'create-csi-volume'>>[0],
): Promise<string> {
  const { type } = (await client.storages(step.host)).find(
    (candidate) => candidate.storage === step.storage,
  ) ?? { type: '' };
  return ['dir', 'nfs', 'cifs', 'cephfs', 'btrfs'].includes(type)
    ? `${step.volumeName}.${step.format}`
    : step.volumeName;
}

function nameOf(volid: string): string {
  return volid.replace(/^.*[:/]/, '').replace(/\.(raw|qcow2)$/, '');
}
