/** Sizes and hardware of the template's VMs. Ranges and choices as in its CUE schemas. */
import type { Section } from '../foreign/section.js';
import type { Translation } from '../foreign/translation.js';

/** `proxmox_vm_defaults` and those of the roles. */
export function translateSizes(sizes: Section, here: readonly string[], to: Translation): void {
  to.move([...here, 'cores'], sizes.integer('cores', { least: 1 }));
  to.move([...here, 'sockets'], sizes.integer('sockets', { least: 1 }));
  to.move([...here, 'memory'], sizes.integer('memory', { least: 1 }), megabytes);
  to.move([...here, 'disk'], sizes.integer(['disk_size', 'disk'], { least: 1 }), gigabytes);
  to.move([...here, 'storage'], sizes.text('storage', 'datastore'));
  sizes.refuseUnknown();
}

export function megabytes(value: number): string {
  return value % 1024 === 0 ? `${value / 1024}GiB` : `${value}MiB`;
}

export function gigabytes(value: number): string {
  return `${value}GiB`;
}

/** `proxmox_vm_advanced`: for every VM. */
export function translateAdvanced(advanced: Section, to: Translation): void {
  const here = (...keys: string[]) => ['defaults', 'all', ...keys];
  to.move(here('bios'), advanced.oneOf('bios', ['ovmf', 'seabios']));
  // Proxmox calls the older chipset `pc`.
  to.move(here('machine'), advanced.oneOf('machine', ['q35', 'i440fx']), (machine) =>
    machine === 'i440fx' ? 'pc' : machine,
  );
  to.move(here('cpuType'), advanced.text('cpu_type'));
  to.move(here('scsiHardware'), advanced.oneOf('scsi_hw', ['virtio-scsi-pci', 'virtio-scsi-single', 'lsi']));
  to.move(here('balloon'), advanced.integer('balloon', { least: 0 }), (value) =>
    value === 0 ? 0 : `${value}MiB`,
  );
  to.move(here('numa'), advanced.flag('numa'));
  to.move(here('agent'), advanced.flag('qemu_agent'));
  to.move(['network', 'queues'], advanced.integer('net_queues', { least: 1, most: 16 }));
  to.move(here('diskOptions', 'discard'), advanced.flag('disk_discard'));
  to.move(here('diskOptions', 'ssd'), advanced.flag('disk_ssd'));
  to.move(here('tags'), advanced.texts('tags'), (tags) => [...tags]);
  to.move(['network', 'bridge'], advanced.text('network_bridge'));
  to.move(here('ostype'), advanced.text('ostype'));
  to.move(here('diskOptions', 'backup'), advanced.flag('disk_backup'));
  to.move(here('diskOptions', 'replicate'), advanced.flag('disk_replicate'));
  advanced.refuseUnknown();
}
