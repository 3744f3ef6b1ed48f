declare const vmidBrand: unique symbol;
declare const wwnBrand: unique symbol;
declare const macBrand: unique symbol;
declare const volidBrand: unique symbol;

/** A Proxmox VM id, 100 to 999999999. */
export type Vmid = number & { readonly [vmidBrand]: true };
/** `0x3` and 15 hex digits: the identity of a disk. */
export type Wwn = string & { readonly [wwnBrand]: true };
/** Upper case with colons, as Proxmox stores it. */
export type Mac = string & { readonly [macBrand]: true };
/** A Proxmox volume: `local-zfs:vm-1410-disk-0`. */
export type VolumeId = string & { readonly [volidBrand]: true };

export const VMID_MIN = 100;
export const VMID_MAX = 999_999_999;

export function parseVmid(value: number): Vmid | undefined {
  return Number.isInteger(value) && value >= VMID_MIN && value <= VMID_MAX ? (value as Vmid) : undefined;
}

/** The offline VM that owns a node's data: the node's id with a `0` appended. */
export function dataVmidOf(vmid: Vmid): Vmid | undefined {
  return parseVmid(vmid * 10);
}

/** The node's own VM of a data VM. */
export function talosVmidOf(dataVmid: Vmid): number {
  return Math.floor(dataVmid / 10);
}

export function parseWwn(text: string): Wwn | undefined {
  return /^0x[3-6][0-9a-f]{15}$/.test(text) ? (text as Wwn) : undefined;
}

/**
 * Whether a WWN is one that oxherd gives. The CSI driver gives its disks one per slot, so two of them may carry the same:
 * that identifies nothing.
 */
export function isIdentity(wwn: string | undefined): boolean {
  return wwn?.startsWith('0x3') === true;
}

/** How Talos shows a Proxmox `wwn=`: `0x3abc…` becomes `naa.3abc…`. */
export function wwidOf(wwn: Wwn): string {
  return `naa.${wwn.slice(2)}`;
}

/** Unicast only, as Proxmox demands. */
export function parseMac(text: string): Mac | undefined {
  const upper = text.toUpperCase().replaceAll('-', ':');
  if (!/^([0-9A-F]{2}:){5}[0-9A-F]{2}$/.test(upper)) return undefined;
  return Number.parseInt(upper.slice(0, 2), 16) % 2 === 0 ? (upper as Mac) : undefined;
}

/** `undefined`: it names no volume of a storage (`none`, `cdrom`, a device of the host). */
export function parseVolumeId(text: string): VolumeId | undefined {
  return /^[A-Za-z][\w.-]*:[^,\s]+$/.test(text) ? (text as VolumeId) : undefined;
}
