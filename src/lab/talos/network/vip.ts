import type { Machine, Room } from '../machine/machine.js';
import { etcdHealthy } from '../services/services.js';

/**
 * A shared address is held by one control plane whose etcd is healthy; the election itself runs through etcd, so
 * without quorum no one holds it. `true`: something moved.
 */
export function electVips(room: Room, controlPlanes: readonly Machine[]): boolean {
  const wanted = new Map<string, Machine[]>();
  for (const machine of controlPlanes) {
    if (machine.record.stage !== 'running') continue;
    for (const vip of machine.facts?.vips ?? []) {
      const candidates = wanted.get(vip) ?? [];
      if (room.core.faults.holds('vip-lost', vip)) continue;
      if (machine.service('kubelet')?.state === 'Running' && etcdHealthy(machine)) candidates.push(machine);
      wanted.set(vip, candidates);
    }
  }
  let moved = false;
  for (const [vip, holder] of [...room.db.vips.entries()]) {
    if (wanted.get(vip)?.some((machine) => machine.vmid === holder)) continue;
    room.db.vips.delete(vip);
    moved = true;
  }
  for (const [vip, candidates] of wanted) {
    const first = candidates[0];
    if (!first || room.db.vips.has(vip)) continue;
    room.db.vips.put(vip, first.vmid);
    moved = true;
  }
  return moved;
}
