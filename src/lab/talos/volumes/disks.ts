import { MIB } from '../../../model/size.js';
import type { Drive, Hardware } from '../hypervisors/hypervisor.js';

/** A block device as Talos shows it (`Disks.block.talos.dev`) and as selectors see it. */
export interface DiskView {
  readonly slot: string;
  readonly id: string;
  readonly devPath: string;
  readonly size: number;
  readonly cdrom: boolean;
  readonly readonly: boolean;
  readonly rotational: boolean;
  readonly model: string;
  readonly transport: string;
  readonly wwid: string;
  readonly busPath: string;
  readonly symlinks: readonly string[];
}

/**
 * Names and identities as tried on QEMU with Proxmox' own arguments: `wwn=0x3…` shows as `naa.3…`, the serial stays
 * empty, virtio-blk has no WWID, and with one virtio-scsi controller for all disks lun 0 comes first and then the
 * highest lun: names identify nothing.
 */
export function viewDisks(hardware: Hardware): DiskView[] {
  const slots = [...hardware.drives].sort((a, b) => kernelOrder(a, hardware) - kernelOrder(b, hardware));
  const counts: Record<string, number> = {};
  return [ROOT_LOOP, ...slots.map((drive) => view(drive))];

  function view(drive: Drive): DiskView {
    const bus = busOf(drive.slot);
    const family = drive.cdrom ? 'sr' : bus === 'virtio' ? 'vd' : 'sd';
    const number = counts[family] ?? 0;
    counts[family] = number + 1;
    const id = family === 'sr' ? `sr${number}` : `${family}${letters(number)}`;
    const wwid =
      drive.wwn && bus !== 'virtio' && /^0x[3-6]/.test(drive.wwn)
        ? `naa.${drive.wwn.slice(2).toLowerCase()}`
        : '';
    return {
      slot: drive.slot,
      id,
      devPath: `/dev/${id}`,
      size: drive.size,
      cdrom: drive.cdrom,
      readonly: drive.readonly || drive.cdrom,
      rotational: !drive.ssd && !drive.cdrom,
      model: drive.cdrom ? 'QEMU DVD-ROM' : bus === 'virtio' ? '' : 'QEMU HARDDISK',
      transport: bus === 'ide' || bus === 'sata' ? 'sata' : 'virtio',
      wwid,
      busPath: busPathOf(drive.slot, hardware),
      symlinks: [
        `/dev/disk/by-path/pci-0000:00-${drive.slot}`,
        ...(wwid ? [`/dev/disk/by-id/wwn-0x${wwid.slice(4)}`] : []),
      ],
    };
  }
}

/** Talos's own root: `Disks` of a real machine has it too. */
const ROOT_LOOP: DiskView = {
  slot: 'loop0',
  id: 'loop0',
  devPath: '/dev/loop0',
  size: 80 * MIB,
  cdrom: false,
  readonly: true,
  rotational: false,
  model: '',
  transport: '',
  wwid: '',
  busPath: '/virtual',
  symlinks: [],
};

/** The disk as CEL sees it. */
export function diskObject(disk: DiskView) {
  return {
    dev_path: disk.devPath,
    size: disk.size,
    pretty_size: prettySize(disk.size),
    io_size: 512,
    sector_size: 512,
    readonly: disk.readonly,
    cdrom: disk.cdrom,
    model: disk.model,
    wwid: disk.wwid,
    bus_path: disk.busPath,
    sub_system: '/sys/class/block',
    transport: disk.transport,
    rotational: disk.rotational,
    symlinks: disk.symlinks,
  };
}

/** `34 GB`, as Go's humanize prints bytes. */
export function prettySize(size: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];
  if (size < 10) return `${size} B`;
  const power = Math.min(Math.floor(Math.log10(size) / 3), units.length - 1);
  const value = Math.floor((size / 1000 ** power) * 10 + 0.5) / 10;
  return `${value < 10 ? value.toFixed(1) : Math.round(size / 1000 ** power)} ${units[power]}`;
}

/** Drives that hold an operating system, in the order the firmware tries them. */
export function bootDrives(hardware: Hardware): Drive[] {
  return hardware.boot.flatMap((slot) => hardware.drives.find((drive) => drive.slot === slot) ?? []);
}

function kernelOrder(drive: Drive, hardware: Hardware): number {
  const number = Number(/\d+$/.exec(drive.slot)?.[0] ?? 0);
  const bus = busOf(drive.slot);
  if (bus !== 'scsi') return { virtio: 0, ide: 1_000, sata: 2_000 }[bus] + number;
  return 500 + (hardware.scsiController === 'virtio-scsi-pci' && number > 0 ? 100 - number : number);
}

function busOf(slot: string): 'scsi' | 'virtio' | 'ide' | 'sata' {
  const bus = /^[a-z]+/.exec(slot)?.[0];
  return bus === 'virtio' || bus === 'ide' || bus === 'sata' ? bus : 'scsi';
}

/**
 * As Linux shows the devices that Proxmox describes to QEMU: on virtio-scsi a drive's index is its LUN, on a controller of
 * its own (`virtio-scsi-single`) or on the one for all; lsi gives it a target of its own.
 */
function busPathOf(slot: string, { scsiController }: Hardware): string {
  const index = Number(/\d+$/.exec(slot)?.[0] ?? 0);
  const bus = busOf(slot);
  if (bus === 'virtio')
    return `/pci0000:00/0000:00:${(10 + index).toString(16).padStart(2, '0')}.0/virtio${index + 4}`;
  if (bus !== 'scsi')
    return `/pci0000:00/0000:00:1f.2/ata${index + 1}/host${index}/target${index}:0:0/${index}:0:0:0`;
  if (!scsiController.startsWith('virtio-scsi'))
    return `/pci0000:00/0000:00:05.0/host6/target6:0:${index % 7}/6:0:${index % 7}:0`;
  const own = scsiController === 'virtio-scsi-single' ? index : 0;
  const [pci, host] = [(1 + own).toString(16).padStart(2, '0'), 6 + own];
  return `/pci0000:00/0000:00:05.0/0000:01:${pci}.0/virtio${3 + own}/host${host}/target${host}:0:0/${host}:0:0:${index}`;
}

function letters(number: number): string {
  const last = String.fromCharCode(97 + (number % 26));
  return number < 26 ? last : letters(Math.floor(number / 26) - 1) + last;
}
