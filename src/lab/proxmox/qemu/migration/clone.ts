/** `POST /nodes/{node}/qemu/{vmid}/clone`: full copies, and linked ones of templates (qemu-server `clone_vm`). */
import { denied } from '../../access/denied.js';
import { type Call, type Handlers, type Pve, PveError, type TaskContext } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { newVm } from '../../db.js';
import { type Caller, callerWithId, nodeOf, vmidOf } from '../../http/request.js';
import { requireQuorum } from '../../quorum.js';
import { freeAll } from '../../storage/allocate.js';
import { requireStorage, requireStorageOnNode } from '../../storage/storages.js';
import { requireVolumeId } from '../../storage/volume-name.js';
import { hasFeature } from '../../storage/volume-operations.js';
import { errorText } from '../../tasks/task-error.js';
import { isDriveKey, isNetKey, isUnusedKey } from '../config/config-keys.js';
import { withNewMac, withNewUuid } from '../config/identity.js';
import { requireForBridges, requireForCpu, requireForDevice } from '../config/permissions.js';
import type { Config } from '../config/vm-config.js';
import { addToPool } from '../create.js';
import { copyDisk } from '../disks/copy-disk.js';
import { type Drive, drivesOf, isCloudInit, isPlainCdrom, parseDrive, printDrive } from '../disks/drives.js';
import { assertUnlocked, findVm, loadVm, requireOnNode, saveVm, snapshotOf } from '../vms.js';

const TASK = 'qmclone';

interface Clone {
  readonly host: string;
  readonly vmid: number;
  readonly newid: number;
  readonly name?: string;
  readonly description?: string;
  readonly pool?: string;
  readonly snapshot?: string;
  readonly storage?: string;
  readonly format?: string;
  /** Another host; only with shared storages. */
  readonly target?: string;
  readonly full?: boolean;
  readonly user: string;
}

export const cloneHandlers: Handlers = { 'POST /nodes/{node}/qemu/{vmid}/clone': startClone };

export function defineCloneTask(pve: Pve): void {
  pve.tasks.define<Clone>(
    TASK,
    (clone, task) => carryOut(pve, clone, task),
    ({ newid }) => {
      pve.db.vms.delete(String(newid));
      return undefined;
    },
  );
}

function startClone(call: Call): string {
  const given = (name: string, key: keyof Clone) => {
    const value = call.text(name);
    return value === undefined || value === '' ? {} : { [key]: value };
  };
  const host = nodeOf(call);
  const target = call.text('target');
  const clone: Clone = {
    host,
    vmid: vmidOf(call),
    newid: call.number('newid') ?? 0,
    ...given('name', 'name'),
    ...given('description', 'description'),
    ...given('pool', 'pool'),
    ...given('snapname', 'snapshot'),
    ...given('storage', 'storage'),
    ...given('format', 'format'),
    ...(target === undefined || target === host ? {} : { target }),
    ...(call.params.full === undefined ? {} : { full: call.flag('full') }),
    user: call.who.id,
  };
  requireOnNode(call.pve, host, clone.vmid);
  const { full } = prepared(call, clone, () => {
    if (call.pve.db.vms.has(String(clone.newid))) throw alreadyThere(call.pve, clone);
  });
  saveVm(call.pve, newVm(host, clone.newid, { lock: 'clone' }));
  return call.pve.tasks.start(call, {
    node: host,
    type: TASK,
    id: String(clone.vmid),
    args: clone,
    duration: full ? 5_000 : 1_000,
  });
}

/** A VM of that id on another host is only found when the file is written. */
function alreadyThere(pve: Pve, { host, newid }: Clone): PveError {
  if (findVm(pve, host, newid)) {
    return new PveError(500, `unable to create VM ${newid}: config file already exists`);
  }
  return new PveError(
    500,
    `clone failed: unable to create VM ${newid} - VM ${newid} already exists on node '${pve.db.vms.get(String(newid))?.host}'`,
  );
}

interface Prepared {
  readonly source: VmRecord;
  readonly config: Config;
  readonly full: boolean;
}

/** When asked, and again when it is done; only then is the new id taken by the clone itself. */
function prepared(caller: Caller, clone: Clone, assertFree: () => void = () => {}): Prepared {
  const { pve } = caller;
  if (clone.pool !== undefined && !pve.db.pools.has(clone.pool)) {
    throw denied(`pool '${clone.pool}' does not exist`);
  }
  if (clone.target !== undefined && !pve.db.hosts.has(clone.target)) {
    throw new PveError(500, `no such cluster node '${clone.target}'`);
  }
  if (clone.storage !== undefined) assertStorage(pve, clone, clone.storage);
  requireQuorum(pve);
  const source = loadVm(pve, clone.host, clone.vmid);
  assertUnlocked(source.config);
  const snapshot = clone.snapshot === undefined ? undefined : snapshotOf(source, clone.snapshot);
  if (clone.snapshot !== undefined && !snapshot) {
    throw new PveError(500, `snapshot '${clone.snapshot}' does not exist`);
  }
  const full = clone.full ?? !source.template;
  for (const option of ['storage', 'format'] as const) {
    if (clone[option] !== undefined && !full) {
      throw new PveError(500, `parameter '${option}' not allowed for linked clones`);
    }
  }
  const config = snapshot?.config ?? source.config;
  requireRights(caller, clone, config);
  assertFree();
  for (const key of Object.keys(config).filter(isDriveKey).sort()) {
    const drive = parseDrive(config[key] ?? '');
    if (!isPlainCdrom(drive)) assertClonable(pve, clone, key, drive, full);
  }
  if (full && source.running && snapshot === undefined && config.tpmstate0 !== undefined) {
    throw new PveError(500, 'cannot clone TPM state while VM is running');
  }
  return { source, config, full };
}

function assertStorage(pve: Pve, clone: Clone, id: string): void {
  const storage = requireStorageOnNode(pve, id, clone.host);
  if (!storage.content.includes('images')) {
    throw PveError.parameter({ storage: `storage '${id}' does not support vm images` });
  }
  if (clone.target === undefined) return;
  requireStorageOnNode(pve, id, clone.target);
  if (!storage.shared) throw new PveError(500, `can't clone to non-shared storage '${id}'`);
}

function requireRights(caller: Caller, clone: Clone, config: Config): void {
  let shared = true;
  for (const { drive } of drivesOf(config)) {
    if (drive.file === 'none') continue;
    const storage = requireStorage(caller.pve, requireVolumeId(drive.file).storage);
    if (!storage.shared) shared = false;
    if (!isPlainCdrom(drive)) {
      caller.require(`/storage/${clone.storage ?? storage.id}`, ['Datastore.AllocateSpace']);
    }
  }
  for (const key of Object.keys(config).sort()) {
    requireForDevice(caller, { vmid: clone.vmid }, key, config[key] ?? '');
  }
  requireForBridges(caller, config);
  requireForCpu(caller, config.cpu);
  if (clone.target !== undefined && !shared) {
    throw new PveError(500, `can't clone VM to node '${clone.target}' (VM uses local storage)`);
  }
}

function isFull(key: string, drive: Drive, full: boolean): boolean {
  return full || isCloudInit(drive) || key === 'tpmstate0';
}

function assertClonable(pve: Pve, clone: Clone, key: string, drive: Drive, full: boolean): void {
  const snapshot = clone.snapshot !== undefined;
  const whole = isFull(key, drive, full);
  if (hasFeature(pve, whole ? 'copy' : 'clone', drive.file, { snapshot })) return;
  const of = snapshot ? ' a snapshot of' : '';
  throw new PveError(
    500,
    `${whole ? 'Full' : 'Linked'} clone feature is not supported for${of} '${drive.file}' (${key})`,
  );
}

/** About a state of the source that a copy does not have. */
const NOT_COPIED = new Set([
  'parent',
  'snaptime',
  'vmstate',
  'snapstate',
  'runningcpu',
  'runningmachine',
  'running-nets-host-mtu',
  'template',
  'lock',
]);

function carryOut(pve: Pve, clone: Clone, task: TaskContext): undefined {
  const { host, vmid, newid } = clone;
  const made: string[] = [];
  try {
    const { config, full } = prepared(callerWithId(pve, clone.user), clone);
    task.log(`creating a clone of VM ${vmid} with ID ${newid}`);
    const copy: Config = {};
    for (const key of Object.keys(config).sort()) {
      const value = config[key] ?? '';
      if (NOT_COPIED.has(key) || isUnusedKey(key)) continue;
      if (isNetKey(key)) copy[key] = withNewMac(pve, value);
      else if (!isDriveKey(key) || isPlainCdrom(parseDrive(value))) copy[key] = value;
      else {
        const drive = copyDisk(pve, {
          host,
          key,
          drive: parseDrive(value),
          vmid: newid,
          full: isFull(key, parseDrive(value), full),
          storage: clone.storage,
          format: clone.format,
          snapshot: clone.snapshot,
          log: (line) => task.log(line),
        });
        made.push(drive.file);
        copy[key] = printDrive(drive);
      }
    }
    copy.smbios1 = withNewUuid(pve, copy.smbios1);
    // `0` is none, and stays so.
    if (copy.vmgenid !== undefined && copy.vmgenid !== '0') copy.vmgenid = pve.core.random.uuid();
    copy.name = clone.name ?? `Copy-of-VM-${config.name ?? vmid}`;
    if (clone.description !== undefined) copy.description = clone.description;
    saveVm(pve, newVm(clone.target ?? host, newid, copy));
  } catch (error) {
    freeAll(pve, host, made);
    pve.db.vms.delete(String(newid));
    throw new PveError(500, `clone failed: ${errorText(error)}`);
  }
  if (clone.pool !== undefined) addToPool(pve, clone.pool, newid);
  return undefined;
}
