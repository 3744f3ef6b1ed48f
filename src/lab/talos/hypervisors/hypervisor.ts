/** What a machine needs of the thing it runs on: its hardware, its disks' contents, and a way to switch itself off. */
import type { Firmware, VolumeContent } from '../../lab.js';

export interface Hypervisor {
  /** The VMs that run. */
  running(): number[];
  /** The hardware the VM was started with, hot-plugged drives included; `undefined`: it does not run. */
  hardware(vmid: number): Hardware | undefined;
  /** Writes to a drive's volume; the change is on disk when this returns. */
  write(vmid: number, slot: string, change: (content: VolumeContent) => VolumeContent): void;
  /** The guest switched itself off. */
  stopped(vmid: number): void;
  /** Told whose hardware may be another from now on (`undefined`: anyone's); absent: it has to be asked for to know. */
  watch?(listener: (vmid: number | undefined) => void): void;
}

export interface Hardware {
  readonly vmid: number;
  readonly name: string;
  /** SMBIOS uuid. */
  readonly uuid: string;
  readonly cores: number;
  /** Bytes. */
  readonly memory: number;
  /** Absent: SeaBIOS. */
  readonly firmware?: Firmware;
  /** `virtio-scsi-single`, `virtio-scsi-pci`, … */
  readonly scsiController: string;
  /** Slots in boot order; a drive that is not named is not booted from. */
  readonly boot: readonly string[];
  readonly nics: readonly Nic[];
  readonly drives: readonly Drive[];
  readonly cloudInit?: CloudInit;
}

export interface Nic {
  /** Upper case with colons. */
  readonly mac: string;
  readonly bridge: string;
  /** What the virtual device offers; absent: the usual 1500. */
  readonly mtu?: number;
  /** The network behind the bridge, where the world says one: leases come from it. */
  readonly subnet?: string;
}

export interface Drive {
  /** `scsi0`, `ide2` */
  readonly slot: string;
  readonly cdrom: boolean;
  readonly size: number;
  readonly wwn?: string;
  readonly ssd: boolean;
  readonly readonly: boolean;
  readonly content: VolumeContent;
}

/** What the cloud-init drive says, as it was written when the VM was started. */
export interface CloudInit {
  readonly links: readonly CloudInitLink[];
  readonly hostname?: string;
}

export interface CloudInitLink {
  /** Number of the NIC. */
  readonly nic: number;
  /** `dhcp`, or an address in CIDR notation. */
  readonly address: string;
  readonly gateway?: string;
}
