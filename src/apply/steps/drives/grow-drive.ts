import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { driveByWwn, requireVm, StepError, verifyFailed } from '../../support/read-vm.js';

/** Through the VM that uses it, also while it runs: Proxmox resizes a foreign disk there, and the guest sees it at once. */
export const growDrive: Executor<'grow-drive'> = async (step, context) => {
  const { client } = context;
  const { vmid, host, wwn, size } = step;
  const state = await requireVm(context, host, vmid);
  const there = driveByWwn(state, wwn);
  if (!there)
    throw new StepError('apply.drive-gone', `VM ${vmid} has no disk ${wwn}`, { advice: 'run plan again' });
  const sizeNow = async () => (await client.volumeInfo(host, there.file)).size;
  // The lines in both VMs may be stale; the volume is the truth.
  if ((await sizeNow()) >= size) return ALREADY;
  await client.runTask(() => client.resizeDisk(host, vmid, there.slot, size, state.digest));
  if ((await sizeNow()) < size) throw verifyFailed(`${there.file} has not grown`);
  return DONE;
};
