import { vmConfigOf } from '../../../formats/proxmox/vm-config.js';
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
