/** `DELETE /nodes/{node}/qemu/{vmid}` (recordings foreign-disks-dir, loose-volumes, root-only). */
import { type Call, type Handlers, type Pve, PveError, type TaskContext } from '../api.js';
import { purgeFromJobs } from '../backup/jobs.js';
import { forgetReplication, replicationOf } from '../cluster/replication.js';
import type { VmRecord } from '../db.js';
import { vmScope } from '../firewall/records.js';
import { removeResource } from '../ha/resources.js';
import { nodeOf, rootOnly, vmidOf } from '../http/request.js';
import { free } from '../storage/allocate.js';
import { isOnNode, locate } from '../storage/storages.js';
import { splitVolumeId } from '../storage/volume-name.js';
import { errorText } from '../tasks/task-error.js';
import { hasClones, volumeId, volumesOn } from '../volumes.js';
import type { Config } from './config/vm-config.js';
import { drivesOf, isCdrom, isPlainCdrom, unusedOf } from './disks/drives.js';
import { assertUnlocked, assertUnprotected, assertWritable, loadVm, removeVm } from './vms.js';

const TASK = 'qmdestroy';

interface Destruction {
  readonly host: string;
  readonly vmid: number;
  readonly skipLock: boolean;
  readonly purge: boolean;
  /** Also volumes that carry the VM's id but are in no config. */
  readonly unreferenced: boolean;
}

export const destroyHandlers: Handlers = {
  'DELETE /nodes/{node}/qemu/{vmid}': (call: Call) => {
    rootOnly(call, 'skiplock');
    const args: Destruction = {
      host: nodeOf(call),
      vmid: vmidOf(call),
      skipLock: call.flag('skiplock'),
      purge: call.flag('purge'),
      unreferenced: call.flag('destroy-unreferenced-disks'),
    };
    assertDestroyable(call.pve, args);
    return call.pve.tasks.start(call, {
      node: args.host,
      type: TASK,
      id: String(args.vmid),
      args,
      duration: 500,
    });
  },
};

export function defineDestroyTask(pve: Pve): void {
  pve.tasks.define<Destruction>(TASK, (args, task) => destroy(pve, args, task));
}

function assertDestroyable(pve: Pve, { host, vmid, purge }: Destruction): VmRecord {
  const vm = loadVm(pve, host, vmid);
  assertUnprotected(vm.config, `can't remove VM ${vmid}`);
  if (!purge && pve.db.haResources.has(`vm:${vmid}`)) {
    throw new PveError(
      500,
      `unable to remove VM ${vmid} - used in HA resources and purge parameter not set.`,
    );
  }
  const job = purge ? undefined : replicationOf(pve, vmid);
  if (job) {
    throw new PveError(
      500,
      `There is a replication job '${job.id}' for guest '${vmid}' - Please remove that first.`,
    );
  }
  if (vm.running) throw new PveError(500, `VM ${vmid} is running - destroy failed`);
  return vm;
}

function destroy(pve: Pve, args: Destruction, task: TaskContext): undefined {
  const { host, vmid } = args;
  const vm = assertDestroyable(pve, args);
  if (!args.skipLock && vm.config.lock !== 'suspended') assertUnlocked(vm.config);
  if (vm.template) assertNoClones(pve, vm);
  for (const volid of ownVolumes(pve, vm)) release(pve, host, volid, task);
  if (args.unreferenced) {
    for (const volid of looseVolumes(pve, host, vmid)) release(pve, host, volid, task);
  }
  assertWritable(pve, host, vmid);
  forgetAccess(pve, vmid);
  pve.db.firewalls.delete(vmScope(vmid));
  if (args.purge) purge(pve, vmid, task);
  removeVm(pve, vm);
  return undefined;
}

function release(pve: Pve, host: string, volid: string, task: TaskContext): void {
  try {
    free(pve, host, volid, (line) => task.log(line));
  } catch (error) {
    task.warn(`Could not remove disk '${volid}', check manually: ${errorText(error)}`);
  }
}

function assertNoClones(pve: Pve, vm: VmRecord): void {
  const volids = [
    ...drivesOf(vm.config).flatMap(({ drive }) => (isCdrom(drive) ? [] : drive.file)),
    ...unusedOf(vm.config).map(({ volid }) => volid),
  ];
  for (const volid of volids.filter((file) => splitVolumeId(file))) {
    const { storage, volume } = locate(pve, volid);
    if (volume.isBase && hasClones(pve.db, storage, vm.host, volume.place)) {
      throw new PveError(500, `base volume '${volid}' is still in use by linked cloned`);
    }
  }
}

/** Whose a volume is, its name says: a disk of another VM stays, whatever the config does with it. */
function ownVolumes(pve: Pve, vm: VmRecord): Set<string> {
  const found = new Set<string>();
  const collect = (config: Config) => {
    const files = [
      ...drivesOf(config).flatMap(({ drive }) => (isPlainCdrom(drive) ? [] : drive.file)),
      ...unusedOf(config).map(({ volid }) => volid),
      ...(config.vmstate === undefined ? [] : [config.vmstate]),
    ];
    for (const file of files) {
      const split = splitVolumeId(file);
      if (!split || !pve.db.storages.has(split.storage)) continue;
      if (locate(pve, file).volume.owner === vm.vmid) found.add(file);
    }
  };
  collect(vm.config);
  for (const { config } of Object.values(vm.snapshots)) {
    if (config.vmstate !== undefined) collect({ vmstate: config.vmstate });
  }
  collect(vm.pending.set);
  return found;
}

function looseVolumes(pve: Pve, host: string, vmid: number): string[] {
  return [...pve.db.storages.values()]
    .filter((storage) => isOnNode(storage, host) && storage.content.includes('images'))
    .flatMap((storage) => volumesOn(pve.db, storage, host, vmid))
    .filter((volume) => volume.content === 'images')
    .map(volumeId);
}

/** Rights on a VM and its place in pools go with it. */
export function forgetAccess(pve: Pve, vmid: number): void {
  for (const [key, acl] of [...pve.db.acls.entries()]) {
    if (acl.path === `/vms/${vmid}`) pve.db.acls.delete(key);
  }
  for (const [key, pool] of [...pve.db.pools.entries()]) {
    if (pool.vms.includes(vmid)) {
      pve.db.pools.put(key, { ...pool, vms: pool.vms.filter((member) => member !== vmid) });
    }
  }
}

function purge(pve: Pve, vmid: number, task: TaskContext): void {
  task.log(`purging VM ${vmid} from related configurations..`);
  purgeFromJobs(pve, vmid);
  forgetReplication(pve, vmid);
  if (!pve.db.haResources.has(`vm:${vmid}`)) return;
  removeResource(pve, `vm:${vmid}`, true);
  task.log(`NOTE: removed VM ${vmid} from HA resource configuration.`);
}
