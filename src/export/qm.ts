/**
 * Room `export`: designs and plans as text for other programs and as pictures.
 * May touch: values alone: no file, no network, no clock.
 *
 * The text of `qm config` for each VM of a design, numbered as on an empty Proxmox with block storages. What only
 * Proxmox knows is left out: `meta`, `vmgenid`, the size of an ISO.
 */
import type { AuxiliaryDrive, Design, NodeDesign, VmDesign } from '../design/design.js';
import { dataSlotsAtCreate, type SlottedDrive, talosSlotsAtCreate } from '../design/slots.js';
import { printDrive } from '../formats/proxmox/property-string.js';
import type { Vmid } from '../model/identity.js';
import { type Bytes, bytes, MIB } from '../model/size.js';

export interface QmConfig {
  readonly vmid: Vmid;
  readonly text: string;
}

/** By vmid. */
export function qmConfigs(design: Design): readonly QmConfig[] {
  return design.nodes
    .flatMap((node) =>
      node.dataVm === undefined ? [talosText(node)] : [talosText(node), dataText(node, node.dataVm)],
    )
    .sort((a, b) => a.vmid - b.vmid);
}

function talosText(node: NodeDesign): QmConfig {
  const vm = node.talosVm;
  const slots = talosSlotsAtCreate(node);
  const names = volumesOf(vm, slots);
  const attached = node.dataVm === undefined ? new Map() : volumesByWwn(node.dataVm, dataSlotsAtCreate(node));
  const lines: Record<string, string | number> = { ...vm.options };
  for (const [key, drive] of Object.entries(vm.auxiliary))
    lines[key] = auxiliaryLine(vm.vmid, drive, names.get(key));
  for (const { slot, drive } of slots) {
    const file = attached.get(drive.wwn) ?? volumeAt(names, slot);
    lines[slot] = printDrive({ file, size: drive.size, options: { ...drive.talosOptions, wwn: drive.wwn } });
  }
  return { vmid: vm.vmid, text: configText(vm, lines) };
}

function dataText(node: NodeDesign, vm: VmDesign): QmConfig {
  const slots = dataSlotsAtCreate(node);
  const names = volumesOf(vm, slots);
  // Proxmox adds a boot order of its own at create: the first disk.
  const lines: Record<string, string | number> = { boot: 'order=scsi0', ...vm.options };
  for (const { slot, drive } of slots) {
    const file = volumeAt(names, slot);
    lines[slot] = printDrive({ file, size: drive.size, options: { ...drive.ownerOptions, wwn: drive.wwn } });
  }
  return { vmid: vm.vmid, text: configText(vm, lines) };
}

function volumesByWwn(vm: VmDesign, slots: readonly SlottedDrive[]): ReadonlyMap<string, string> {
  const names = volumesOf(vm, slots);
  return new Map(slots.map(({ slot, drive }) => [drive.wwn, volumeAt(names, slot)]));
}

/**
 * Volumes that Proxmox makes with the VM, by slot: in the alphabetical order of the keys, each with the
 * lowest free number of its storage (recording iso-boot-vm: efidisk0 before scsi0).
 */
function volumesOf(vm: VmDesign, slots: readonly SlottedDrive[]): ReadonlyMap<string, string> {
  const wanted = new Map<string, string>();
  for (const { slot, drive } of slots) if (drive.owner === vm.vmid) wanted.set(slot, drive.storage);
  for (const [key, drive] of Object.entries(vm.auxiliary)) {
    if (drive.kind === 'efi' || drive.kind === 'tpm') wanted.set(key, drive.storage);
  }
  const next = new Map<string, number>();
  const volumes = new Map<string, string>();
  for (const [key, storage] of [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const number = next.get(storage) ?? 0;
    next.set(storage, number + 1);
    volumes.set(key, `${storage}:vm-${vm.vmid}-disk-${number}`);
  }
  return volumes;
}

function volumeAt(volumes: ReadonlyMap<string, string>, slot: string): string {
  const volume = volumes.get(slot);
  if (volume === undefined) throw new RangeError(`${slot} has no volume`);
  return volume;
}

/** Proxmox takes the size of these volumes from what they hold, rounded up by the storage: 1M on ZFS. */
const EFI_SIZE: Bytes = bytes(MIB);
const TPM_SIZE: Bytes = bytes(4 * MIB);

function auxiliaryLine(vmid: Vmid, drive: AuxiliaryDrive, file = ''): string {
  switch (drive.kind) {
    case 'efi': {
      const keys = drive.preEnrolledKeys ? { 'pre-enrolled-keys': '1' } : {};
      return printDrive({ file, size: EFI_SIZE, options: { efitype: drive.efitype, ...keys } });
    }
    case 'tpm':
      return printDrive({ file, size: TPM_SIZE, options: { version: drive.version } });
    case 'cloudinit':
      return printDrive({ file: `${drive.storage}:vm-${vmid}-cloudinit`, options: { media: 'cdrom' } });
    case 'cdrom':
      return printDrive({ file: drive.volid, options: { media: 'cdrom' } });
  }
}

function configText(vm: VmDesign, lines: Readonly<Record<string, string | number>>): string {
  return Object.entries({ ...lines, name: vm.name })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${key === 'description' ? encodeText(String(value)) : value}\n`)
    .join('');
}

/** As `PVE::Tools::encode_text`: control and non-ASCII bytes and the colon, percent-encoded. */
function encodeText(text: string): string {
  return [...new TextEncoder().encode(text)]
    .map((byte) =>
      byte >= 0x20 && byte <= 0x7e && byte !== 0x3a
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
    )
    .join('');
}
