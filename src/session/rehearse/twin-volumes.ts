/** The volumes of a twin: where they are, how large, and how full as far as that can be told. */

import type { Design } from '../../design/design.js';
import { vmConfigOf } from '../../formats/proxmox/vm-config.js';
import type { TwinVolume } from '../../lab/twin/twin-state.js';
import type { Observed } from '../../observe/observed.js';
import { visibleIn } from '../../observe/observed-lists.js';
import { visibleVms } from '../../observe/observed-vms.js';
import { orElse } from './or-else.js';

const GIB = 1024 ** 3;

/** Those that were listed, and those that a VM names although its storage was not. */
export function volumesOf(design: Design, observed: Observed): TwinVolume[] {
  const found = new Map<string, TwinVolume>();
  const add = (volume: TwinVolume): void => {
    const storage = volume.volid.split(':')[0] ?? '';
    const shared = observed.storages[`${volume.host}/${storage}`]?.shared === true;
    const key = `${shared ? '' : volume.host}/${volume.volid}`;
    if (!found.has(key)) found.set(key, volume);
  };
  for (const [place, listed] of Object.entries(observed.volumes)) {
    const host = place.split('/')[0] ?? '';
    for (const { volid, size } of visibleIn(listed)) add({ host, volid, size });
  }
  for (const vm of [...visibleVms(observed), ...Object.values(observed.lookalikes)]) {
    if (!vm.config.known) continue;
    for (const { volid, size } of vmConfigOf(vm.config.value).references)
      add({ host: vm.host, volid, size: size ?? GIB });
  }
  for (const [place, listed] of Object.entries(observed.images)) {
    const host = place.split('/')[0] ?? '';
    for (const volid of orElse(listed, [])) {
      const image = design.images.find((one) => one.volid === volid);
      add({
        host,
        volid,
        size: GIB,
        ...(image && { image: { schematic: image.schematicId, version: image.talosVersion } }),
      });
    }
  }
  const volumes = [...found.values()];
  return volumes.map((volume) => ({ ...volume, used: usedOf(volume, volumes, observed) }));
}

/** Block storages do not tell what a volume holds: what all of them hold is shared out by size. */
function usedOf(
  { volid, host, size }: TwinVolume,
  all: readonly TwinVolume[],
  { storages }: Observed,
): number {
  const name = volid.split(':')[0] ?? '';
  const { used, shared } = storages[`${host}/${name}`] ?? {};
  if (used === undefined) return size;
  const beside = all.filter((other) => other.volid.startsWith(`${name}:`) && (shared || other.host === host));
  const sizes = beside.reduce((sum, other) => sum + other.size, 0);
  return Math.round(size * Math.min(1, used / Math.max(1, sizes)));
}
