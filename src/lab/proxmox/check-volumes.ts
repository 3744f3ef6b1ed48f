/** What must hold of the volumes whatever requests came: nothing without an owner, nothing that hangs in the air. */
import { z } from 'zod';
import { PveError } from './api.js';
import type { PveDb, VmRecord } from './db.js';
import type { Config } from './qemu/config/vm-config.js';
import { volumesNamed } from './qemu/disks/drives.js';
import { parseVolumeName } from './storage/volume-name.js';
import { findVolume, hasClones, volumeAt, volumeId, volumeKey, volumesOn } from './volumes.js';

interface VolumeAccounts {
  /** What must never be; empty, or the simulator has a bug. */
  readonly problems: readonly string[];
  /** `vmid: volid` of configs that name a volume which is gone, as Proxmox lets happen. */
  readonly dangling: readonly string[];
  /** Volumes with an owner in their name, but in no config: allocated by hand, or left over. */
  readonly loose: readonly string[];
}

export function checkVolumes(db: PveDb): VolumeAccounts {
  const problems: string[] = [];
  const dangling: string[] = [];
  const used = new Set<string>();
  for (const vm of db.vms.values()) {
    for (const volid of namedBy(vm)) {
      const volume = unlessRefused(() => findVolume(db, vm.host, volid));
      if (volume) used.add(`${volume.host} ${volumeId(volume)}`);
      else dangling.push(`${vm.vmid}: ${volid}`);
    }
  }
  for (const copy of copiesUnderWay(db)) used.add(copy);
  const loose: string[] = [];
  for (const [key, volume] of db.volumes.entries()) {
    const storage = db.storages.get(volume.storage);
    const name = `${volume.host} ${volumeId(volume)}`;
    // A storage that was removed from the configuration still has what lies on it.
    if (!storage) continue;
    if (!db.hosts.has(volume.host)) {
      problems.push(`${name}: on no host of the cluster`);
      continue;
    }
    const parsed = unlessRefused(() => parseVolumeName(storage, volume.path));
    // Added again with another type, it looks elsewhere: what lay on it is not seen.
    if (!parsed) continue;
    if (volumeKey(storage, volume.host, parsed.place) !== key) problems.push(`${name}: kept as ${key}`);
    if (parsed.owner !== volume.owner) problems.push(`${name}: belongs to ${volume.owner}`);
    if (volume.content === 'images' && volume.owner === undefined) problems.push(`${name}: has no owner`);
    if (!(volume.size >= 0 && volume.used >= 0))
      problems.push(`${name}: size ${volume.size}, used ${volume.used}`);
    if (volume.parent !== undefined && !volumeAt(db, storage, volume.host, volume.parent)) {
      problems.push(`${name}: its base volume ${volume.parent} is gone`);
    }
    if (!volumesOn(db, storage, volume.host, volume.owner).includes(volume)) {
      problems.push(`${name}: not listed on its storage`);
    }
    const inUse = used.has(name) || hasClones(db, storage, volume.host, volume.path);
    if (volume.content === 'images' && !inUse) loose.push(name);
  }
  return { problems, dangling, loose };
}

/** A name that is none on a storage of this type. */
function unlessRefused<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch (error) {
    if (error instanceof PveError) return undefined;
    throw error;
  }
}

/** What migrations that run have begun to copy; no config names it yet. */
function copiesUnderWay(db: PveDb): string[] {
  return [...db.vms.values()].flatMap(({ lockHolder }) => {
    const task = lockHolder === undefined ? undefined : db.tasks.get(lockHolder);
    const { data } = migrationArgs.safeParse(task?.args);
    if (!data?.progress) return [];
    return Object.values(data.progress.copies).map((volid) => `${data.target} ${volid}`);
  });
}

const migrationArgs = z.object({
  target: z.string(),
  progress: z.object({ copies: z.record(z.string(), z.string()) }).optional(),
});

function namedBy(vm: VmRecord): Set<string> {
  const configs: Config[] = [
    vm.config,
    vm.pending.set,
    vm.running?.config ?? {},
    ...Object.values(vm.snapshots).map((snapshot) => snapshot.config),
  ];
  return new Set(configs.flatMap(volumesNamed));
}
