import type { LabWorld } from '../../src/lab/world.js';

/** Disks on a storage that every host sees. */
export function onSharedStorage(world: LabWorld): LabWorld {
  return {
    ...world,
    storages: world.storages.map((storage) =>
      storage.content.includes('images')
        ? { ...storage, type: 'nfs' as const, path: `/mnt/pve/${storage.id}`, shared: true }
        : storage,
    ),
  };
}
