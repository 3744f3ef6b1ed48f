import { vmConfigOf } from '../../../formats/proxmox/vm-config.js';
import { helperName, helperOn } from '../../../plan/vms/helper-drives.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { auxiliaryParam } from '../../support/drive-params.js';
import { lostSlot, requireVm, verifyFailed } from '../../support/read-vm.js';

/** Made on its slot; a removal that waits for the next start of the VM is taken back. */
export const addHelperDrive: Executor<'add-helper-drive'> = async (step, context) => {
  const { client } = context;
  const { vmid, host, slot, helper } = step;
  const state = await requireVm(context, host, vmid);
  const config = vmConfigOf(state);
  if (helperOn(config, helper)) return ALREADY;
  const holder = config.effective[slot];
  if (holder !== undefined && !/^(none|cdrom),?/.test(holder)) throw lostSlot(vmid, slot, holder);
  // Its volume is still there, and Proxmox makes no second one of that name.
  const removed = holder === undefined ? state.values[slot] : undefined;
  await client.runTask(() =>
    client.updateVmTask(host, vmid, {
      set: { [slot]: removed ?? auxiliaryParam(helper) },
      digest: state.digest,
    }),
  );
  if (!helperOn(vmConfigOf(await requireVm(context, host, vmid)), helper))
    throw verifyFailed(`VM ${vmid} has no ${helperName(helper)}`);
  return DONE;
};
