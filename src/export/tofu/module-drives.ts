/** The drives of both VMs of the module `talos-vm`. */
import { printAssignments } from './hcl-print.js';

const OPTIONS: Readonly<Record<string, string>> = {
  size: 'disk.value.size',
  file_format: '"raw"',
  aio: 'coalesce(var.advanced.disk_aio, "io_uring")',
  cache: 'coalesce(var.advanced.disk_cache, "none")',
  discard: 'var.advanced.disk_discard ? "on" : "ignore"',
  iothread: 'var.advanced.disk_iothread',
  ssd: 'var.advanced.disk_ssd',
  replicate: 'var.advanced.disk_replicate',
};

/** A block per drive of that local: where it sits and what it holds, then what all have, then its end. */
function drives(
  local: string,
  place: Readonly<Record<string, string>>,
  end: Readonly<Record<string, string>>,
  last = '',
): string {
  const assignments = Object.entries({ ...place, ...OPTIONS, ...end }).map(([name, value]) => ({
    name,
    value,
  }));
  return `  dynamic "disk" {
    for_each = local.${local}

    content {
${printAssignments(assignments, 3)}${last}    }
  }
`;
}

const BACKUP = { backup: 'disk.value.backup' };

/** Of the data VM. */
export const OWNED_DRIVES = drives(
  'owned_disks',
  { interface: 'disk.value.data_interface', datastore_id: 'disk.value.datastore' },
  {},
  `      # Backed up through the Talos VM, once.
      backup = false
`,
);

/** Of the Talos VM itself. */
export const OWN_DRIVES = drives(
  'own_disks',
  {
    interface: 'disk.value.interface',
    datastore_id: 'disk.value.datastore',
    import_from: 'var.node.boot == "image" ? var.image_id : null',
  },
  BACKUP,
);

/** Of the data VM, as the Talos VM has them. */
export const ATTACHED_DRIVES = drives(
  'data_disks',
  {
    interface: 'disk.value.interface',
    datastore_id: 'disk.value.datastore',
    path_in_datastore: `one([
        for owned in proxmox_virtual_environment_vm.data[0].disk : owned.path_in_datastore
        if owned.interface == disk.value.data_interface
      ])`,
  },
  BACKUP,
);

/** oxherd keeps its notes in descriptions, and a VM that was moved is the same VM. */
const ALWAYS = ['description', 'node_name'];

/** oxherd gave each drive a WWN. The provider knows none, and an update of a drive would drop it. */
export const ADOPTED_DISKS = ignored(
  '# Drives have a WWN, which the provider does not know: an update would drop it.',
  ['disk', 'cdrom'],
);
export const CREATED_DISKS = ignored('# Another image is for new VMs: Talos upgrades itself in place.', [
  'disk[0].import_from',
  'cdrom',
]);
export const DATA_VM_KEPT = ignored("# oxherd's notes, and where the VM was moved to.", []);

function ignored(comment: string, more: readonly string[]): string {
  return `    ${comment}\n    ignore_changes = [${[...ALWAYS, ...more].join(', ')}]\n`;
}
