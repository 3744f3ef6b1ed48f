import { PERSISTENT_VOLUME_CLAIMS } from '../../../clients/kubernetes/resources.js';
import { parseQuantity, quantity } from '../../../design/kubernetes/quantity.js';
import { vmConfigOf } from '../../../formats/proxmox/vm-config.js';
import { needCluster, whenApiAnswers } from '../../support/cluster-wait.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

export const growCsiVolume: Executor<'grow-csi-volume'> = async (step, context) => {
  const { client } = context;
  const { vmid, host, volid, size } = step;
  const sizeNow = async () => (await client.volumeInfo(host, volid)).size;
  if ((await sizeNow()) >= size) return ALREADY;
  const state = await requireVm(context, host, vmid);
  const drive = vmConfigOf(state).drives.find((candidate) => candidate.file === volid);
  if (!drive) {
    throw new StepError('apply.drive-gone', `VM ${vmid} no longer uses ${volid}`, {
      advice: 'the pod that used it has moved; run apply again',
    });
  }
  await client.runTask(() => client.resizeDisk(host, vmid, drive.slot, size, state.digest));
  if ((await sizeNow()) < size) throw verifyFailed(`${volid} has not grown`);
  return DONE;
};

export const growClaim: Executor<'grow-claim'> = async ({ namespace, name, size }, context) => {
  const { client } = needCluster(context);
  return whenApiAnswers(context, `claim ${namespace}/${name}`, async () => {
    const claim = await client.get(PERSISTENT_VOLUME_CLAIMS, name, namespace);
    const asks = parseQuantity(claim?.spec?.resources?.requests?.storage ?? '') ?? 0;
    if (!claim || asks >= size) return ALREADY;
    const patch = { spec: { resources: { requests: { storage: quantity(size) } } } };
    await client.patch(PERSISTENT_VOLUME_CLAIMS, name, patch, { kind: 'merge', namespace });
    return DONE;
  });
};
