/** `/nodes/{node}/qemu/{vmid}/migrate`: what is refused at once (qemu-server `migrate_vm`). */
import { type Call, type Handlers, type Pve, PveError } from '../../api.js';
import { replicationOf } from '../../cluster/replication.js';
import type { VmRecord } from '../../db.js';
import { blockingResources, dependentResources } from '../../ha/affinity.js';
import { queueCommand } from '../../ha/commands.js';
import { isManaged } from '../../ha/resources.js';
import { nodeOf, rootOnly, vmidOf } from '../../http/request.js';
import { requireQuorum } from '../../quorum.js';
import { isUsable, locate, requireStorage, requireStorageOnNode } from '../../storage/storages.js';
import { splitVolumeId } from '../../storage/volume-name.js';
import { requireOnVm } from '../config/permissions.js';
import { drivesOf, isCdrom, isCloudInit, parseDrive, unusedOf } from '../disks/drives.js';
import { assertUnlocked, loadVm, saveVm } from '../vms.js';
import { type Migration, migrate, unlockMigration } from './migration.js';
import { hostDevices } from './migration-devices.js';

const TASK = 'qmigrate';

export const migrateHandlers: Handlers = {
  'GET /nodes/{node}/qemu/{vmid}/migrate': preconditions,
  'POST /nodes/{node}/qemu/{vmid}/migrate': startMigration,
};

export function defineMigrateTask(pve: Pve): void {
  pve.tasks.define<Migration>(
    TASK,
    (migration, task) => migrate(pve, migration, task),
    // What was copied by then stays on the target, and no config names it.
    (migration) => {
      unlockMigration(pve, migration);
      return 'migration aborted';
    },
  );
  pve.tasks.define<Migration>('hamigrate', ({ vmid, target }, task) => {
    task.log(`Requesting HA migration for VM ${vmid} to node ${target}`);
    queueCommand(pve, { command: 'migrate', sid: `vm:${vmid}`, node: target });
    return undefined;
  });
}

export function startMigrationTask(
  pve: Pve,
  by: Parameters<Pve['tasks']['start']>[0],
  migration: Migration,
): string {
  const vm = loadVm(pve, migration.host, migration.vmid);
  // Others find the VM locked until it has arrived.
  vm.config.lock = 'migrate';
  saveVm(pve, vm);
  const upid = pve.tasks.start(by, {
    node: migration.host,
    type: TASK,
    id: String(migration.vmid),
    args: migration,
    duration: 500,
  });
  pve.db.vms.update(String(migration.vmid), (record) => ({ ...record, lockHolder: upid }));
  return upid;
}

function startMigration(call: Call): string {
  const host = nodeOf(call);
  const vmid = vmidOf(call);
  const target = call.text('target') ?? '';
  if (target === host) throw PveError.parameter({ target: 'target is local node.' });
  requireQuorum(call.pve);
  if (!call.pve.db.hosts.has(target)) throw new PveError(500, `no such cluster node '${target}'`);
  rootOnly(call, 'force', 'migration_type', 'migration_network');
  const vm = loadVm(call.pve, host, vmid);
  assertUnlocked(vm.config);
  if (vm.running && !call.flag('online')) {
    throw new PveError(500, "can't migrate running VM without --online");
  }
  const job = vm.running ? replicationOf(call.pve, vmid) : undefined;
  if (job && job.target !== target && !call.flag('force')) {
    throw new PveError(
      500,
      `Cannot live-migrate replicated VM to node '${target}' - not a replication target. Use 'force' to override.`,
    );
  }
  const storages = storageMap(call, target);
  if (!storages) assertStorages(call.pve, vm, target);
  const bwlimit = call.number('bwlimit');
  const migration: Migration = {
    host,
    vmid,
    target,
    withLocalDisks: call.flag('with-local-disks'),
    force: call.flag('force'),
    ...(bwlimit ? { bwlimit } : {}),
    ...(storages ? { storages } : {}),
  };
  if (!isManaged(call.pve, `vm:${vmid}`)) return startMigrationTask(call.pve, call, migration);
  return call.pve.tasks.start(call, {
    node: host,
    type: 'hamigrate',
    id: String(vmid),
    args: migration,
    duration: 300,
  });
}

/** `1` keeps the names, `a:b` maps one storage, a single name takes all others. */
function storageMap(call: Call, target: string): Migration['storages'] | undefined {
  const text = call.text('targetstorage');
  if (text === undefined || text === '' || text === '1') return undefined;
  requireOnVm(call, { vmid: vmidOf(call) }, ['VM.Config.Disk']);
  const entries: Record<string, string> = {};
  let other: string | undefined;
  for (const part of text.split(/[,;\s]+/).filter((word) => word !== '')) {
    const [from = '', to] = part.split(':');
    if (to === undefined) other = from;
    else entries[from] = to;
  }
  for (const id of [...Object.values(entries), ...(other === undefined ? [] : [other])]) {
    const storage = requireStorageOnNode(call.pve, id, target);
    call.require(`/storage/${id}`, ['Datastore.AllocateSpace']);
    if (!storage.content.includes('images')) {
      throw new PveError(500, `storage '${id}' does not support vm images`);
    }
  }
  return { entries, ...(other === undefined ? {} : { other }) };
}

function assertStorages(pve: Pve, vm: VmRecord, target: string): void {
  for (const { drive } of drivesOf(vm.config)) {
    const split = splitVolumeId(drive.file);
    if (!split) continue;
    const storage = requireStorageOnNode(pve, split.storage, vm.host);
    requireStorageOnNode(pve, split.storage, target);
    const { type } = locate(pve, drive.file).volume;
    if (!storage.content.includes(type)) {
      throw new PveError(
        500,
        `${drive.file}: content type '${type}' is not available on storage '${storage.id}'`,
      );
    }
  }
}

/** What a client can know before it asks. */
function preconditions(call: Call): unknown {
  const { pve } = call;
  requireQuorum(pve);
  const host = nodeOf(call);
  const vm = loadVm(pve, host, vmidOf(call));
  assertUnlocked(vm.config);
  const drives = [
    ...drivesOf(vm.config).map(({ key, drive }) => ({ key, drive, unused: false })),
    ...unusedOf(vm.config).map(({ key, volid }) => ({
      key,
      drive: parseDrive(volid),
      unused: true,
    })),
  ].filter(({ drive }) => splitVolumeId(drive.file));
  const storageOf = (file: string) => requireStorage(pve, splitVolumeId(file)?.storage ?? '');
  const { local, mapped, missingOn } = hostDevices(pve, vm);
  const sid = `vm:${vm.vmid}`;
  const blocked: Record<string, Record<string, unknown>> = {};
  const allowed: string[] = [];
  for (const { name } of pve.db.hosts.values()) {
    if (name === host) continue;
    const missing = new Set(
      drives.map(({ drive }) => storageOf(drive.file)).flatMap((s) => (isUsable(s, name) ? [] : [s.id])),
    );
    const devices = missingOn(name);
    const others = isManaged(pve, sid) ? blockingResources(pve, sid, name) : [];
    const found = {
      ...(missing.size > 0 ? { unavailable_storages: [...missing].sort() } : {}),
      ...(devices.length > 0 ? { 'unavailable-resources': devices } : {}),
      ...(others.length > 0 ? { 'blocking-ha-resources': others } : {}),
    };
    // A host without hindrance is listed twice (recording migrate).
    blocked[name] = found;
    if (Object.keys(found).length === 0) allowed.push(name);
  }
  return {
    running: vm.running ? 1 : 0,
    allowed_nodes: allowed,
    not_allowed_nodes: blocked,
    local_disks: drives
      .filter(({ drive }) => !storageOf(drive.file).shared)
      .map(({ key, drive, unused }) => ({
        volid: drive.file,
        cdrom: isCdrom(drive) ? 1 : 0,
        is_cloudinit: isCloudInit(drive) ? 1 : 0,
        is_unused: unused ? 1 : 0,
        is_attached: unused ? 0 : 1,
        is_tpmstate: key === 'tpmstate0' ? 1 : 0,
        is_vmstate: 0,
        replicate: drive.options.replicate === '0' ? 0 : 1,
        shared: 0,
        ...(unused ? {} : { drivename: key }),
        ...(drive.size === undefined ? {} : { size: drive.size }),
      })),
    ...(isManaged(pve, sid) ? { 'dependent-ha-resources': dependentResources(pve, sid) } : {}),
    local_resources: local,
    'mapped-resources': Object.keys(mapped).sort(),
    'mapped-resource-info': mapped,
    'has-dbus-vmstate': 1,
  };
}
