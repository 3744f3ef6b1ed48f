/** What the simulators share: one store, one clock, one timeline, one network, faults by name. */
import type { LabClock } from './clock.js';
import type { Faults } from './faults.js';
import type { Network } from './network.js';
import type { Store } from './store.js';
import type { Timeline } from './timeline.js';

export interface LabCore {
  readonly store: Store;
  readonly clock: LabClock;
  readonly timeline: Timeline;
  readonly network: Network;
  readonly faults: Faults;
  /** Seeded: the same lab makes the same random names. */
  readonly random: Random;
}

export interface Random {
  /** An integer in [0, limit). */
  below(limit: number): number;
  hex(digits: number): string;
  uuid(): string;
}

/**
 * How the hypervisor tells the machines what happens to them; the Talos part implements it, the Proxmox part calls it.
 * `undefined` machines (a lab without Talos) are a hypervisor whose guests do nothing.
 */
export interface MachineRoom {
  powerOn(vmid: number): void;
  /** At once, as pulling the plug. */
  powerOff(vmid: number): void;
  /** Asks the guest to shut down. `true`: the guest obeys (the hypervisor then sees it stop by `stopped`). */
  shutdown(vmid: number): boolean;
  reset(vmid: number): void;
  /** A drive was plugged in, unplugged or resized while the VM runs. */
  hardwareChanged(vmid: number): void;
  /** The guest agent's view; `undefined`: no agent answers. */
  agent(vmid: number): GuestAgent | undefined;
}

export interface GuestAgent {
  readonly hostname: string;
  readonly interfaces: readonly {
    readonly name: string;
    readonly mac: string;
    readonly addresses: readonly { readonly ip: string; readonly prefix: number }[];
  }[];
}

/** SeaBIOS starts GRUB, OVMF starts sd-boot. */
export type Firmware = 'bios' | 'uefi';

/** What is written on a volume. The hypervisor copies, moves and frees it without looking inside; the guests write it. */
export interface VolumeContent {
  /**
   * Names these contents: it goes along through copies, moves, clones, renames, snapshots and restores, and is another
   * one after every write, so that a test can tell whose data a volume holds whatever it is called.
   */
  readonly token?: number;
  /** Set when an image was imported or installed: what boots from it. */
  readonly system?: {
    readonly kind: 'talos';
    readonly schematic: string;
    readonly version: string;
    readonly arch: string;
    /** Whose boot loader is on it; absent: a disk image that has never booted, which carries both. */
    readonly firmware?: Firmware;
    /** A/B: what the boot loader falls back to. */
    readonly previous?: { readonly schematic: string; readonly version: string };
  };
  readonly partitions?: readonly {
    readonly label: string;
    readonly size: number;
    readonly filesystem?: string;
    /** With file system `luks`: what is inside, and what opens it. */
    readonly encrypted?: { readonly filesystem?: string; readonly keys: readonly string[] };
  }[];
  /** Changes whenever a guest writes data; tests follow a volume's data by it. */
  readonly data?: Readonly<Record<string, unknown>>;
}
