/** `POST /nodes/{node}/qemu` (recordings vm-create-seabios, import-disk, iso-boot-vm, provisioner-rights). */
import { parseTags, printTags } from '../../../formats/proxmox/property-string.js';
import { denied } from '../access/denied.js';
import { type Call, type Handlers, type Pve, PveError, type TaskContext } from '../api.js';
import { assertRestorable, startRestore } from '../backup/restore.js';
import { newVm } from '../db.js';
import { wakeManager } from '../ha/commands.js';
import { callerWithId, nodeOf, vmidOf } from '../http/request.js';
import { requireQuorum } from '../quorum.js';
import { freeAll, type Log } from '../storage/allocate.js';
import { errorText } from '../tasks/task-error.js';
import { defaultBootOrder } from './config/boot-order.js';
import { assertClipboard } from './config/display.js';
import { newMeta, normaliseNets, withNewUuid } from './config/identity.js';
import { pinnedMachine } from './config/machine-type.js';
import { assertWritable } from './config/option-schema.js';
import {
  requireForBridges,
  requireForCpu,
  requireForDevice,
  requireForKeys,
  requireForSerials,
  requireForTags,
  requireOnVm,
  type VmPlace,
} from './config/permissions.js';
import { configParams } from './config/update-request.js';
import type { Config } from './config/vm-config.js';
import { createDisks, type Disks } from './disks/create-disks.js';
import { normaliseDrives, requireStorageAccess, resolveCdromAlias } from './disks/drive-params.js';
import { startTask } from './power/power-tasks.js';
import { saveVm } from './vms.js';

const TASK = 'qmcreate';

interface Creation {
  readonly host: string;
  readonly vmid: number;
  readonly params: Config;
  readonly pool?: string;
  readonly storage?: string;
  readonly start: boolean;
  readonly highlyAvailable: boolean;
  readonly user: string;
}

export const createHandlers: Handlers = { 'POST /nodes/{node}/qemu': createVm };

export function defineCreateTask(pve: Pve): void {
  pve.tasks.define<Creation>(
    TASK,
    (creation, task) => carryOut(pve, creation, task),
    ({ vmid }) => {
      pve.db.vms.delete(String(vmid));
      return undefined;
    },
  );
}

const NOT_OPTIONS = new Set([
  'node',
  'vmid',
  'archive',
  'bwlimit',
  'force',
  'pool',
  'start',
  'ha-managed',
  'storage',
  'unique',
  'live-restore',
  'import-working-storage',
]);

function createVm(call: Call): string {
  const host = nodeOf(call);
  const vmid = vmidOf(call);
  const pool = call.text('pool');
  const storage = call.text('storage');
  const sent = configParams(call, NOT_OPTIONS);
  requireQuorum(call.pve);
  if (pool !== undefined && !call.pve.db.pools.has(pool)) {
    throw denied(`pool '${pool}' does not exist`);
  }
  if (storage !== undefined) call.require(`/storage/${storage}`, ['Datastore.AllocateSpace']);
  if (call.flag('ha-managed')) call.require('/', ['Sys.Console']);
  if (call.flag('start')) requireOnVm(call, { vmid, pool }, ['VM.PowerMgmt']);
  const restores = Boolean(call.text('archive')) && call.pve.db.vms.has(String(vmid));
  const allowed =
    call.allows(`/vms/${vmid}`, ['VM.Allocate']) ||
    (restores && call.flag('force') && call.allows(`/vms/${vmid}`, ['VM.Backup'])) ||
    (pool !== undefined && call.allows(`/pool/${pool}`, ['VM.Allocate']));
  if (!allowed) throw denied();
  const archive = call.text('archive');
  if (archive) assertRestorable(call, archive);
  const params = checked(call, { vmid, pool }, sent, storage);
  if (archive) return startRestore(call, params);
  const there = call.pve.db.vms.get(String(vmid));
  if (there) {
    throw new PveError(
      500,
      `unable to create VM ${vmid} - VM ${vmid} already exists on node '${there.host}'`,
    );
  }
  const container = call.pve.db.containers.get(String(vmid));
  if (container)
    throw new PveError(
      500,
      `unable to create VM ${vmid} - CT ${vmid} already exists on node '${container.host}'`,
    );
  // What others see while the disks are being made.
  saveVm(call.pve, newVm(host, vmid, { lock: 'create' }));
  const creation: Creation = {
    host,
    vmid,
    params,
    ...(pool === undefined ? {} : { pool }),
    ...(storage === undefined ? {} : { storage }),
    start: call.flag('start'),
    highlyAvailable: call.flag('ha-managed'),
    user: call.who.id,
  };
  return call.pve.tasks.start(call, {
    node: host,
    type: TASK,
    id: String(vmid),
    args: creation,
    duration: creationTime(params),
  });
}

/** Copying an image takes its time. */
function creationTime(params: Config): number {
  return Object.values(params).some((value) => value.includes('import-from=')) ? 8_000 : 500;
}

function checked(call: Call, vm: VmPlace, sent: Config, storage: string | undefined): Config {
  if (Object.keys(sent).length === 0) return sent;
  const params = resolveCdromAlias(sent);
  requireStorageAccess(call, vm.vmid, params, storage);
  requireForKeys(call, vm, Object.keys(params));
  requireForSerials(call, vm, params);
  for (const key of Object.keys(params).sort()) requireForDevice(call, vm, key, params[key] ?? '');
  requireForBridges(call, params);
  requireForCpu(call, params.cpu);
  // The cloud-init password is hashed where a config is changed, not here.
  return normaliseNets(call.pve, normaliseDrives(call.pve, params));
}

function carryOut(pve: Pve, creation: Creation, task: TaskContext): undefined {
  const { host, vmid, params } = creation;
  let disks: Disks = { made: [], lines: {} };
  try {
    disks = createDisks(pve, {
      host,
      vmid,
      existing: [params.template === undefined ? {} : { template: params.template }],
      lines: params,
      defaultStorage: creation.storage,
      log: (line) => task.log(line),
    });
    const config = completed(pve, creation, { ...params, ...disks.lines }, (line) => task.log(line));
    assertWritable(config, Object.keys(params));
    saveVm(pve, newVm(host, vmid, config));
  } catch (error) {
    freeAll(pve, host, disks.made);
    pve.db.vms.delete(String(vmid));
    throw new PveError(500, `unable to create VM ${vmid} - ${errorText(error)}`);
  }
  if (creation.pool !== undefined) addToPool(pve, creation.pool, vmid);
  if (creation.highlyAvailable) {
    task.log('Add as HA resource');
    const sid = `vm:${vmid}`;
    pve.db.haResources.put(sid, { sid, type: 'vm', state: creation.start ? 'started' : 'stopped' });
    wakeManager(pve);
  }
  if (creation.start) {
    task.log('Execute autostart');
    startTask(pve, { user: creation.user }, { host, vmid });
  }
}

function completed(pve: Pve, { vmid, user }: Creation, config: Config, log: Log): Config {
  const result: Config = { ...config, meta: newMeta(pve) };
  result.boot ||= defaultBootOrder(result);
  assertClipboard(result.vga);
  result.smbios1 ||= withNewUuid(pve, undefined);
  const needsId = result.vmgenid === undefined || result.vmgenid === '1';
  if (needsId && result.arch !== 'aarch64') result.vmgenid = pve.core.random.uuid();
  const machine = pinnedMachine(result.machine, result, log);
  if (machine !== '') result.machine = machine;
  if (result.tags !== undefined) {
    requireForTags(callerWithId(pve, user), { vmid });
    result.tags = printTags(parseTags(result.tags));
  }
  return result;
}

export function addToPool(pve: Pve, pool: string, vmid: number): void {
  if (!pve.db.pools.has(pool)) return;
  pve.db.pools.update(pool, (record) => ({
    ...record,
    vms: [...record.vms.filter((member) => member !== vmid), vmid].sort((a, b) => a - b),
  }));
}
