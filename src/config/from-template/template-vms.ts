/** Sizes and hardware of the template's VMs. Ranges and choices as in its CUE schemas. */
import type { Given, Section } from '../foreign/section.js';
import type { Translation } from '../foreign/translation.js';

type SizeKey = 'cores' | 'sockets' | 'memory' | 'disk' | 'storage';
type Sizes = Partial<Readonly<Record<SizeKey, Given<number | string>>>>;

const ROLES = {
  controlplane: 'proxmox_vm_controller_defaults',
  worker: 'proxmox_vm_worker_defaults',
} as const;

/** What the template's roles have (PROXMOX_VM_CONTROLLER, PROXMOX_VM_WORKER): memory in MB. */
const OF_ROLE = {
  controlplane: { cores: 4, sockets: 1, memory: 8192 },
  worker: { cores: 8, sockets: 1, memory: 16_384 },
} as const;

/**
 * The template merges global, then role, then node, and its roles have defaults of their own. So a global value never
 * makes a role smaller than the role's own default; a larger one holds for every role that says nothing else.
 */
export function translateDefaults(root: Section, to: Translation): void {
  const global = readSizes(root.section('proxmox_vm_defaults'));
  for (const [key, given] of Object.entries(global)) {
    if (!isOfRoles(key)) to.move(['defaults', 'all', key], given, (value) => inUnits(key, value));
  }
  for (const role of ['controlplane', 'worker'] as const) {
    const own = readSizes(root.section(ROLES[role]));
    for (const [key, given] of Object.entries({ ...raised(global, role, own, root), ...own })) {
      to.move(['defaults', role, key], given, (value) => inUnits(key, value));
    }
  }
}

/** Global values that hold for the role: at least as large as its own default. */
function raised(global: Sizes, role: keyof typeof OF_ROLE, own: Sizes, root: Section): Sizes {
  const held: Partial<Record<SizeKey, Given<number | string>>> = {};
  for (const key of ['cores', 'sockets', 'memory'] as const) {
    const given = global[key];
    const least = OF_ROLE[role][key];
    if (!given || own[key]) continue;
    if (Number(given.value) >= least) held[key] = given;
    else {
      root.warn(
        given.path,
        'template.role-default',
        `is less than the ${least} that the template gives a ${role === 'worker' ? 'worker' : 'control plane'}, which stays`,
        `write \`${ROLES[role]}: { ${key}: ${given.value} }\` if you mean it`,
      );
    }
  }
  return held;
}

function isOfRoles(key: string): boolean {
  return Object.hasOwn(OF_ROLE.worker, key);
}

function readSizes(sizes: Section): Sizes {
  const read = {
    cores: sizes.integer('cores', { least: 1 }),
    sockets: sizes.integer('sockets', { least: 1 }),
    memory: sizes.integer('memory', { least: 1 }),
    disk: sizes.integer(['disk_size', 'disk'], { least: 1 }),
    storage: sizes.text('storage', 'datastore'),
  };
  sizes.refuseUnknown();
  return Object.fromEntries(Object.entries(read).filter(([, given]) => given !== undefined));
}

function inUnits(key: string, value: number | string): unknown {
  if (typeof value === 'string') return value;
  return key === 'memory' ? megabytes(value) : key === 'disk' ? gigabytes(value) : value;
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
