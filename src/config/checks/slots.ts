/** Room on the SCSI bus of each node. */
import type { Role } from '../config-values.js';
import { type Check, OncePerEntry, originOf } from './check.js';
import { isDrive, isFor } from './volumes.js';

/** scsi0 to scsi30. */
const SLOTS = 31;
/** proxmox-csi-plugin attaches to scsi1 to scsi29. */
const CSI_LAST_SLOT = 29;

export const scsiSlots: Check = {
  needs: ['volumes'],
  run(input) {
    const { config, report } = input;
    const once = new OncePerEntry(report);
    const drives = config.volumes.filter(isDrive);
    const counted = new Map<Role, number>();
    for (const node of config.nodes) {
      if (node.layout !== 'data-vm') continue;
      const volumes = counted.get(node.role) ?? drives.filter((volume) => isFor(volume, node)).length;
      counted.set(node.role, volumes);
      const used = volumes + 2;
      const { path } = originOf(input, node);
      if (used > SLOTS) {
        once.error(path, {
          code: 'node.slots',
          path,
          message: `\`${node.name}\` needs ${used} drives, and a VM has ${SLOTS} SCSI slots`,
          hint: 'use fewer `disk` volumes, or `partition` and `directory` ones',
          at: 'key',
        });
      } else if (config.kubernetes.csi && used > CSI_LAST_SLOT) {
        once.error(path, {
          code: 'node.slots',
          path,
          message: `\`${node.name}\` has ${used} drives, which leaves the CSI driver no slot of scsi1 to scsi${CSI_LAST_SLOT}`,
          hint: 'use fewer `disk` volumes on nodes that run workloads with CSI volumes',
          at: 'key',
        });
      }
    }
  },
};
