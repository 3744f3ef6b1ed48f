/** VM ids: of nodes, of their data VMs, of volumes without a VM, and of what else is there. */
import { dataVmidOf, type Vmid } from '../../model/identity.js';
import type { Path } from '../yaml/position.js';
import { type Check, OncePerEntry, originOf } from './check.js';

export const vmids: Check = {
  needs: [],
  run(input) {
    const { config, report } = input;
    const taken = new Map<Vmid, string>();
    const once = new OncePerEntry(report);
    const claim = (vmid: Vmid, owner: string, entry: Path, at: Path): void => {
      const other = taken.get(vmid);
      if (other === undefined) {
        taken.set(vmid, owner);
        return;
      }
      once.error(entry, {
        code: 'node.duplicate-vmid',
        path: at,
        message: `VM id ${vmid} is wanted by ${owner} and by ${other}`,
        hint: 'a data VM has the id of its node with a 0 appended; choose ids so that none coincide',
      });
    };
    for (const host of config.hosts) {
      for (const { name, vmid } of host.reservations) {
        const path = ['hosts', host.name, 'reservations', name];
        if (vmid !== undefined) claim(vmid, `\`${name}\``, path, [...path, 'vmid']);
      }
    }
    // Volumes share their id with each other, never with a VM: destroying that VM could wipe them.
    for (const volume of config.volumes) {
      const path = ['volumes', volume.name];
      if (volume.type !== 'proxmox-csi') continue;
      const other = taken.get(volume.vmid);
      if (other === undefined || other === CSI_OWNER) taken.set(volume.vmid, CSI_OWNER);
      else claim(volume.vmid, CSI_OWNER, path, [...path, 'vmid']);
    }
    for (const node of config.nodes) {
      const { path } = originOf(input, node);
      claim(node.vmid, `\`${node.name}\``, path, [...path, 'vmid']);
    }
    for (const node of config.nodes) {
      if (node.layout !== 'data-vm') continue;
      const { path } = originOf(input, node);
      const dataVmid = dataVmidOf(node.vmid);
      if (dataVmid !== undefined) claim(dataVmid, `the data VM of \`${node.name}\``, path, [...path, 'vmid']);
      else {
        once.error(path, {
          code: 'node.vmid',
          path: [...path, 'vmid'],
          message: `VM id ${node.vmid} of \`${node.name}\` leaves no id for its data VM (${node.vmid}0)`,
          hint: 'Proxmox knows ids up to 999999999: choose one below 100000000',
        });
      }
    }
  },
};

const CSI_OWNER = 'volumes of type `proxmox-csi`';
