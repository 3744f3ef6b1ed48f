import type { Mac, Vmid, Wwn } from '../../model/identity.js';
import { hashParts } from '../text/hash.js';

/** Which cluster an object belongs to; the env keeps twins on one Proxmox apart. */
export interface ClusterIdentity {
  readonly name: string;
  readonly env: string;
}

/** A disk's identity for life: it depends on the node's vmid, not on its name, slot or size. */
export function wwnOf(cluster: ClusterIdentity, vmid: Vmid, volume: string): Wwn {
  const hash = hashParts(['wwn', cluster.name, cluster.env, String(vmid), volume]);
  return `0x3${hash.slice(0, 15)}` as Wwn;
}

/**
 * For a disk that an adopted VM had besides: selectors can name it, and it is none of ours (`isIdentity`), so nothing is
 * planned about it.
 */
export function besideWwnOf(cluster: ClusterIdentity, vmid: Vmid, volid: string): Wwn {
  const hash = hashParts(['beside', cluster.name, cluster.env, String(vmid), volid]);
  return `0x5${hash.slice(0, 15)}` as Wwn;
}

/** In Proxmox's own range, so that it reads as a VM's address; `index` is the NIC's number. See `nodeMacs` for `attempt`. */
export function macOf(cluster: ClusterIdentity, vmid: Vmid, index = 0, attempt = 0): Mac {
  const again = attempt > 0 ? [String(attempt)] : [];
  const parts = ['mac', cluster.name, cluster.env, String(vmid), String(index), ...again];
  const hash = hashParts(parts).toUpperCase();
  return `BC:24:11:${hash.slice(0, 2)}:${hash.slice(2, 4)}:${hash.slice(4, 6)}` as Mac;
}

/** A random-looking (version 4) uuid that never changes. */
export function smbiosUuidOf(cluster: ClusterIdentity, vmid: Vmid): string {
  const hex = hashParts(['uuid', cluster.name, cluster.env, String(vmid)]);
  const variant = ((Number.parseInt(hex.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `4${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}
