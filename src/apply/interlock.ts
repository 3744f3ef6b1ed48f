/**
 * Stands between apply and Proxmox and refuses every call after which a kept volume would be gone or out of reach.
 * It trusts no plan: it reads the VMs concerned itself, right before the call. Separate from planning on purpose.
 *
 * What it knows: a volume belongs to the VM in its name, whoever uses it, and may be named by any VM, by what waits for
 * its next start, and by its snapshots. Ours is what carries the hash of a name of this cluster (`formats/drive-claim`);
 * everything else on our VMs is foreign, and holds up what would erase it. A description permits nothing.
 */
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import { type ProxmoxWrites, readsOf } from '../clients/proxmox/reads-and-writes.js';
import { Guard, type InterlockScope } from './interlock-guard.js';
import { HaGuard } from './interlock-ha.js';
import { MachineGuard } from './interlock-machines.js';

export type { InterlockScope } from './interlock-guard.js';
export { InterlockError } from './interlock-reading.js';

export function interlock(client: ProxmoxClient, scope: InterlockScope): ProxmoxClient {
  const guard = new Guard(client, scope);
  const machines = new MachineGuard(client, guard, scope);
  const ha = new HaGuard(client, guard, scope);
  return {
    ...readsOf(client),
    ...guardedWrites(client, guard, machines),
    ...guardedHa(client, machines, ha),
  };
}

/** Closed by default: every write stands here, with its rule or with the reason why it needs none. */
function guardedWrites(
  client: ProxmoxClient,
  guard: Guard,
  machines: MachineGuard,
): Omit<ProxmoxWrites, HaWrite> {
  return {
    ...withoutVolumes(client),
    ...configWrites(client, guard),
    ...machineWrites(client, guard, machines),
    ...snapshotWrites(client, machines),
    async updatePool(pool, change) {
      await machines.joinPool(change.vms ?? []);
      return client.updatePool(pool, change);
    },
    async updateBackupJob(id, settings) {
      await machines.changeBackupJob(id);
      return client.updateBackupJob(id, settings);
    },
    async deleteBackupJob(id) {
      await machines.changeBackupJob(id);
      return client.deleteBackupJob(id);
    },
  };
}

/** What a VM is made of, and its volumes. */
function configWrites(
  client: ProxmoxClient,
  guard: Guard,
): Pick<
  ProxmoxWrites,
  'createVm' | 'destroyVm' | 'updateVm' | 'updateVmTask' | 'unlinkDisks' | 'deleteVolume'
> {
  return {
    async createVm(node, vmid, params) {
      await guard.create(vmid, params);
      return client.createVm(node, vmid, params);
    },
    async destroyVm(node, vmid, options = {}) {
      await guard.destroy(node, vmid, options);
      return client.destroyVm(node, vmid, options);
    },
    async updateVm(node, vmid, change) {
      await guard.change(node, vmid, change);
      return client.updateVm(node, vmid, change);
    },
    async updateVmTask(node, vmid, change) {
      await guard.change(node, vmid, change);
      return client.updateVmTask(node, vmid, change);
    },
    async unlinkDisks(node, vmid, disks, options) {
      await guard.change(node, vmid, { delete: disks, ...options });
      return client.unlinkDisks(node, vmid, disks, options);
    },
    async deleteVolume(node, volid) {
      await guard.deleteVolume(node, volid);
      return client.deleteVolume(node, volid);
    },
  };
}

/** Disks that grow or move, and whether and where a VM runs. */
function machineWrites(
  client: ProxmoxClient,
  guard: Guard,
  machines: MachineGuard,
): Pick<
  ProxmoxWrites,
  'resizeDisk' | 'moveDisk' | 'startVm' | 'rebootVm' | 'stopVm' | 'shutdownVm' | 'resetVm' | 'migrateVm'
> {
  return {
    async resizeDisk(node, vmid, disk, size, digest) {
      await machines.resize(node, vmid, disk, size);
      return client.resizeDisk(node, vmid, disk, size, digest);
    },
    async moveDisk(node, vmid, move) {
      await machines.move(node, vmid, move);
      return client.moveDisk(node, vmid, move);
    },
    async startVm(node, vmid, options) {
      await machines.start(node, vmid);
      return client.startVm(node, vmid, options);
    },
    async rebootVm(node, vmid, options) {
      await machines.start(node, vmid);
      return client.rebootVm(node, vmid, options);
    },
    async stopVm(node, vmid, options) {
      await guard.checkOurs(node, vmid);
      return client.stopVm(node, vmid, options);
    },
    async shutdownVm(node, vmid, options) {
      await guard.checkOurs(node, vmid);
      return client.shutdownVm(node, vmid, options);
    },
    async resetVm(node, vmid) {
      await machines.start(node, vmid);
      return client.resetVm(node, vmid);
    },
    async migrateVm(node, vmid, move) {
      await machines.migrate(node, vmid, move.target);
      return client.migrateVm(node, vmid, move);
    },
  };
}

/** Copies of a VM as it is, and the way back to one. */
function snapshotWrites(
  client: ProxmoxClient,
  machines: MachineGuard,
): Pick<
  ProxmoxWrites,
  'cloneVm' | 'makeTemplate' | 'createSnapshot' | 'deleteSnapshot' | 'rollbackSnapshot'
> {
  return {
    async cloneVm(node, vmid, clone) {
      await machines.atRest(node, vmid, 'clone');
      return client.cloneVm(node, vmid, clone);
    },
    async makeTemplate(node, vmid) {
      await machines.atRest(node, vmid, 'make a template of');
      return client.makeTemplate(node, vmid);
    },
    async createSnapshot(node, vmid, name, options) {
      await machines.atRest(node, vmid, 'snapshot');
      return client.createSnapshot(node, vmid, name, options);
    },
    async deleteSnapshot(node, vmid, name) {
      await machines.deleteSnapshot(node, vmid);
      return client.deleteSnapshot(node, vmid, name);
    },
    async rollbackSnapshot(node, vmid, name, options) {
      await machines.rollback(node, vmid);
      return client.rollbackSnapshot(node, vmid, name, options);
    },
  };
}

type HaWrite =
  | `${'create' | 'update' | 'delete'}HaResource`
  | `${'create' | 'update' | 'delete'}HaRule`
  | 'migrateHaResource';

/** HA starts and moves VMs by itself: what it is told is checked as if it were done at once. */
function guardedHa(client: ProxmoxClient, machines: MachineGuard, ha: HaGuard): Pick<ProxmoxWrites, HaWrite> {
  return {
    async createHaResource(sid, settings) {
      await ha.resource(sid, settings.state);
      return client.createHaResource(sid, settings);
    },
    async updateHaResource(sid, settings) {
      await ha.change(sid, settings.state);
      return client.updateHaResource(sid, settings);
    },
    async deleteHaResource(sid) {
      await ha.remove(sid);
      return client.deleteHaResource(sid);
    },
    async createHaRule(rule, type, settings) {
      await ha.rule(rule, settings.resources);
      return client.createHaRule(rule, type, settings);
    },
    async updateHaRule(rule, type, settings) {
      await ha.rule(rule, settings.resources);
      return client.updateHaRule(rule, type, settings);
    },
    async deleteHaRule(rule) {
      await ha.rule(rule, undefined);
      return client.deleteHaRule(rule);
    },
    async migrateHaResource(sid, host) {
      const { node, vmid } = await ha.place(sid);
      await machines.migrate(node, vmid, host);
      return client.migrateHaResource(sid, host);
    },
  };
}

/** Writes that cannot reach a volume: access, pools, new files and new volumes under names of their own. */
function withoutVolumes(
  client: ProxmoxClient,
): Pick<
  ProxmoxWrites,
  | 'createPool'
  | 'deletePool'
  | 'createRole'
  | 'updateRole'
  | 'deleteRole'
  | 'createUser'
  | 'deleteUser'
  | 'createToken'
  | 'deleteToken'
  | 'grant'
  | 'revoke'
  | 'downloadUrl'
  | 'allocVolume'
  | 'stopTask'
  | 'createBackupJob'
> {
  return {
    createPool: client.createPool,
    deletePool: client.deletePool,
    createRole: client.createRole,
    updateRole: client.updateRole,
    deleteRole: client.deleteRole,
    createUser: client.createUser,
    deleteUser: client.deleteUser,
    createToken: client.createToken,
    deleteToken: client.deleteToken,
    grant: client.grant,
    revoke: client.revoke,
    downloadUrl: client.downloadUrl,
    allocVolume: client.allocVolume,
    stopTask: client.stopTask,
    createBackupJob: client.createBackupJob,
  };
}
