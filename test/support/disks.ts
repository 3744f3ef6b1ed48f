/** Which volume carries which identity on a lab. */
import { diskDrives } from '../../src/formats/proxmox/vm-config.js';
import type { Lab } from '../../src/lab/index.js';
import { checkVolumes } from '../../src/lab/proxmox/check-volumes.js';

/** WWN → `host volume` of every drive that has one; one WWN on two volumes shows both. */
export function disksOf({ proxmox }: Pick<Lab, 'proxmox'>): Map<string, string> {
  const found = new Map<string, Set<string>>();
  for (const vm of proxmox.pve.db.vms.values()) {
    for (const drive of diskDrives(vm.config)) {
      if (drive.wwn)
        found.set(drive.wwn, (found.get(drive.wwn) ?? new Set()).add(`${vm.host} ${drive.file}`));
    }
  }
  return new Map([...found].map(([wwn, volumes]) => [wwn, [...volumes].sort().join(' and ')]));
}

/** What is wrong with the volumes: named by a VM and gone, or there and named by nobody. */
export function volumeProblems({ proxmox }: Pick<Lab, 'proxmox'>): string[] {
  const { problems, dangling, loose } = checkVolumes(proxmox.pve.db);
  return [
    ...problems,
    ...dangling.map((volume) => `gone: ${volume}`),
    ...loose.filter((volume) => !volume.includes('vm-9999-')).map((volume) => `loose: ${volume}`),
  ];
}
