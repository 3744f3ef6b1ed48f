import { GIB } from '../../../model/size.js';
import type { VolumeContent } from '../../lab.js';
import type { Drive, Hardware, Hypervisor } from './hypervisor.js';

/** A VM of the memory hypervisor. */
export interface MemoryVm {
  readonly vmid: number;
  readonly ip: string;
  readonly prefix?: number;
  readonly mac: string;
  /** SMBIOS uuid; absent: one made from the vmid. */
  readonly uuid?: string;
  /** Slot → volume; the wwn is made from the volume's name. */
  readonly drives: Readonly<Record<string, string>>;
  readonly cdrom?: VolumeContent;
}

/** A hypervisor that does nothing but hold disks: for machines without a Proxmox around them. */
export class MemoryHypervisor implements Hypervisor {
  readonly volumes = new Map<string, { size: number; content: VolumeContent }>();
  readonly vms = new Map<number, MemoryVm>();
  /** As with Proxmox: hardware that did not change is the same object. */
  readonly #made = new WeakMap<
    MemoryVm,
    { readonly from: readonly unknown[]; readonly hardware: Hardware }
  >();

  running(): number[] {
    return [...this.vms.keys()];
  }

  hardware(vmid: number): Hardware | undefined {
    const vm = this.vms.get(vmid);
    if (!vm) return undefined;
    const from = Object.values(vm.drives).map((name) => this.volumes.get(name));
    const made = this.#made.get(vm);
    if (made?.from.every((volume, index) => volume === from[index])) return made.hardware;
    const hardware = this.#assemble(vm);
    this.#made.set(vm, { from, hardware });
    return hardware;
  }

  #assemble(vm: MemoryVm): Hardware {
    const { vmid } = vm;
    const drives: Drive[] = Object.entries(vm.drives).flatMap(([slot, name]) => {
      const volume = this.volumes.get(name);
      if (!volume) return [];
      const { size, content } = volume;
      return [{ slot, cdrom: false, ssd: true, readonly: false, wwn: wwnFor(name), size, content }];
    });
    if (vm.cdrom) {
      drives.push({ slot: 'ide2', cdrom: true, ssd: false, readonly: true, size: GIB, content: vm.cdrom });
    }
    return {
      vmid,
      name: `vm-${vmid}`,
      // Varied: Talos makes no `nodeID` key of a uuid that is mostly zeros.
      uuid: vm.uuid ?? `5fb3a7c1-92d4-4e68-8b0f-${String(vmid).padStart(12, '0')}`,
      cores: 4,
      memory: 8 * GIB,
      scsiController: 'virtio-scsi-single',
      boot: ['scsi0', 'ide2'],
      nics: [{ mac: vm.mac, bridge: 'vmbr0' }],
      drives,
      cloudInit: { links: [{ nic: 0, address: `${vm.ip}/${vm.prefix ?? 24}` }] },
    };
  }

  write(vmid: number, slot: string, change: (content: VolumeContent) => VolumeContent): void {
    const name = this.vms.get(vmid)?.drives[slot];
    const volume = name === undefined ? undefined : this.volumes.get(name);
    if (name !== undefined && volume) this.volumes.set(name, { ...volume, content: change(volume.content) });
  }

  stopped(vmid: number): void {
    this.vms.delete(vmid);
  }
}

export function wwnFor(volume: string): string {
  const hex = Buffer.from(volume).toString('hex').padEnd(15, '0').slice(-15);
  return `0x3${hex}`;
}
