/** Values of nodes that hold where oxherd.yaml has none: the schema's own, and what the profile `template` changes. */

import { bytes, GIB } from '../../model/size.js';
import type { DiskOptions, NetworkConfig, VmOptions } from '../config.js';
import type { Boot, Layout, Role } from '../config-values.js';
import type { ConfigFile } from '../schema/file.js';
import { defaultOf } from '../schema/key.js';
import { defaultsSchema, diskOptionKeys, machineKeys } from '../schema/machine.js';
import { networkSchema } from '../schema/network.js';
import { orLeft } from './levels.js';

interface MachineDefaults {
  readonly layout: Layout;
  readonly boot: Boot;
  readonly vm: Omit<VmOptions, 'bios' | 'onBoot' | 'diskOptions'> & {
    /** By layout where absent. */
    readonly bios?: VmOptions['bios'];
  };
  readonly diskOptions: DiskOptions;
  readonly queues?: number;
}

export interface Profile {
  readonly firstBoot: NetworkConfig['firstBoot'];
  /** Nodes start one after the other, by vmid, from this place on. */
  readonly startupOrderFrom?: number;
  machine(role: Role): MachineDefaults;
}

const common = {
  cores: defaultOf(machineKeys.cores),
  sockets: defaultOf(machineKeys.sockets),
  cpuType: defaultOf(machineKeys.cpuType),
  numa: defaultOf(machineKeys.numa),
  balloon: bytes(defaultOf(machineKeys.balloon)),
  machine: defaultOf(machineKeys.machine),
  scsiHardware: defaultOf(machineKeys.scsiHardware),
  ostype: defaultOf(machineKeys.ostype),
  agent: defaultOf(machineKeys.agent),
  tags: defaultOf(machineKeys.tags),
  storage: defaultOf(machineKeys.storage),
  disk: defaultOf(machineKeys.disk),
  osDisk: defaultOf(machineKeys.osDisk),
  pci: [],
} as const;

const diskOptions: DiskOptions = {
  discard: defaultOf(diskOptionKeys.discard),
  ssd: defaultOf(diskOptionKeys.ssd),
  iothread: defaultOf(diskOptionKeys.iothread),
  cache: orLeft(defaultOf(diskOptionKeys.cache)),
  aio: orLeft(defaultOf(diskOptionKeys.aio)),
  backup: undefined,
  replicate: defaultOf(diskOptionKeys.replicate),
};

/** As the Terraform module made its VMs, except that Proxmox replication is off. */
const standard: Profile = {
  firstBoot: defaultOf(networkSchema.shape.firstBoot),
  machine: (role) => ({
    layout: defaultOf(machineKeys.layout),
    boot: defaultOf(machineKeys.boot),
    vm: { ...common, memory: bytes((role === 'controlplane' ? 4 : 8) * GIB) },
    diskOptions,
  }),
};

/** The cluster template's own defaults (PROXMOX_VM_ADVANCED and its role defaults). */
const template: Profile = {
  firstBoot: 'dhcp',
  startupOrderFrom: 4,
  machine: (role) => ({
    layout: 'single',
    boot: 'iso',
    vm: {
      ...common,
      cores: role === 'controlplane' ? common.cores : 8,
      cpuType: 'host',
      numa: true,
      memory: bytes((role === 'controlplane' ? 8 : 16) * GIB),
      bios: 'ovmf',
      scsiHardware: 'virtio-scsi-pci',
      tags: ['kubernetes', 'linux', 'talos'],
      disk: bytes(256 * GIB),
      startup: { up: 15, down: 60 },
    },
    diskOptions: { ...diskOptions, iothread: false, cache: undefined, aio: undefined, backup: false },
    queues: 4,
  }),
};

const PROFILES = { standard, template } as const;

export function profileOf({ defaults }: { readonly defaults?: ConfigFile['defaults'] | undefined }): Profile {
  return PROFILES[defaults?.profile ?? defaultOf(defaultsSchema.shape.profile)];
}
