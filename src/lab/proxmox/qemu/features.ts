/** `GET /nodes/{node}/qemu/{vmid}/feature`. */
import { type Handlers, type Pve, PveError } from '../api.js';
import { nodeOf, vmidOf } from '../http/request.js';
import { isOnNode } from '../storage/storages.js';
import { splitVolumeId } from '../storage/volume-name.js';
import { hasFeature } from '../storage/volume-operations.js';
import type { Config } from './config/vm-config.js';
import { drivesOf, isCdrom } from './disks/drives.js';
import { loadVm, requireOnNode, snapshotOf } from './vms.js';

export const featureHandlers: Handlers = {
  'GET /nodes/{node}/qemu/{vmid}/feature': (call) => {
    requireOnNode(call.pve, nodeOf(call), vmidOf(call));
    const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
    const name = call.text('snapname');
    const snapshot = name ? snapshotOf(vm, name) : undefined;
    if (name && !snapshot) throw new PveError(500, `snapshot '${name}' does not exist`);
    const config = snapshot?.config ?? vm.config;
    return {
      hasFeature: allHaveFeature(call.pve, call.text('feature') ?? '', config, snapshot !== undefined)
        ? 1
        : 0,
      nodes: sharedNodes(call.pve, vm.host, config),
    };
  },
};

export function allHaveFeature(
  pve: Pick<Pve, 'db'>,
  feature: string,
  config: Config,
  snapshot = false,
): boolean {
  return drivesOf(config)
    .filter(({ drive }) => !isCdrom(drive))
    .every(({ drive }) => splitVolumeId(drive.file) && hasFeature(pve, feature, drive.file, { snapshot }));
}

/** Where the VM could run with the storages it uses. */
function sharedNodes(pve: Pick<Pve, 'db'>, host: string, config: Config): string[] {
  const storages = drivesOf(config).flatMap(({ drive }) => {
    const storage = pve.db.storages.get(splitVolumeId(drive.file)?.storage ?? '');
    return storage ? [storage] : [];
  });
  return [...pve.db.hosts.values()]
    .map(({ name }) => name)
    .filter((node) =>
      storages.every((storage) => isOnNode(storage, node) && (storage.shared || node === host)),
    );
}
