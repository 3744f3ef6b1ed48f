import { printDrive } from '../../../formats/proxmox/property-string.js';
import { sameDriveOptions } from '../../../formats/proxmox/vm-option.js';
import { ALREADY, DONE, type Executor } from '../../support/context.js';
import { driveByWwn, lostSlot, requireVm } from '../../support/read-vm.js';

export const setDriveOptions: Executor<'set-drive-options'> = async (step, context) => {
  const { vmid, host, slot, wwn, options } = step;
  const state = await requireVm(context, host, vmid);
  const there = driveByWwn(state, wwn);
  if (there?.slot !== slot) throw lostSlot(vmid, slot, there?.slot ?? 'nothing with that identity');
  if (sameDriveOptions(there.options, options)) return ALREADY;
  const { format } = there.options;
  const line = printDrive({
    file: there.file,
    options: { ...options, ...(format !== undefined && { format }) },
  });
  await context.client.updateVm(host, vmid, { set: { [slot]: line }, digest: state.digest });
  return DONE;
};
