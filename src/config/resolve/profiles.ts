/** Values that hold where the file says nothing. */

import { bytes, GIB } from '../../model/size.js';
import type { DiskOptions, NetworkConfig, VmOptions } from '../config.js';
import type { Boot, Layout, Role } from '../config-values.js';

export interface MachineDefaults {
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
  sockets: 1,
  balloon: bytes(0),
  machine: 'q35',
  ostype: 'l26',
  agent: true,
  storage: 'local-zfs',
  osDisk: bytes(5 * GIB),
  pci: [],
} as const;

/** As the Terraform module made its VMs, except that Proxmox replication is off. */
const standard: Profile = {
  firstBoot: 'static',
  machine: (role) => ({
    layout: 'data-vm',
    boot: 'image',
    vm: {
      ...common,
      cores: 4,
      cpuType: 'x86-64-v2-AES',
      numa: false,
      memory: bytes((role === 'controlplane' ? 4 : 8) * GIB),
      scsiHardware: 'virtio-scsi-single',
      tags: [],
      disk: bytes(20 * GIB),
    },
    diskOptions: {
      discard: true,
      ssd: true,
      iothread: true,
      cache: 'writethrough',
      aio: 'io_uring',
      backup: undefined,
      replicate: false,
    },
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
      cores: role === 'controlplane' ? 4 : 8,
      cpuType: 'host',
      numa: true,
      memory: bytes((role === 'controlplane' ? 8 : 16) * GIB),
      bios: 'ovmf',
      scsiHardware: 'virtio-scsi-pci',
      tags: ['kubernetes', 'linux', 'talos'],
      disk: bytes(256 * GIB),
      startup: { up: 15, down: 60 },
    },
    diskOptions: {
      discard: true,
      ssd: true,
      iothread: false,
      cache: undefined,
      aio: undefined,
      backup: false,
      replicate: false,
    },
    queues: 4,
  }),
};

export const PROFILES = { standard, template } as const;
