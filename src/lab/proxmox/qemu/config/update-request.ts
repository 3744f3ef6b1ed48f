/** `PUT` and `POST /nodes/{node}/qemu/{vmid}/config`, `PUT …/unlink`: reading and checking what is asked. */
import { type Call, type Handlers, type Pve, PveError } from '../../api.js';
import { callerWithId, nodeOf, rootOnly, vmidOf } from '../../http/request.js';
import { locate } from '../../storage/storages.js';
import { splitVolumeId } from '../../storage/volume-name.js';
import { waitForTask } from '../../tasks/wait-for-task.js';
import { findVolume } from '../../volumes.js';
import { encryptPassword } from '../cloudinit/passwords.js';
import { assertSshKeys } from '../cloudinit/ssh-keys.js';
import { normaliseDrives, requireStorageAccess, resolveCdromAlias } from '../disks/drive-params.js';
import { isConfigKey } from './config-keys.js';
import { normaliseNets } from './identity.js';
import { isWindows } from './machine-type.js';
import { requireForBridges, requireForCpu, requireForKeys } from './permissions.js';
import { assertUpdatable, type Update, updateVm } from './update.js';
import type { Config } from './vm-config.js';

const TASK = 'qmconfig';

export const updateHandlers: Handlers = {
  'PUT /nodes/{node}/qemu/{vmid}/config': (call) => {
    const update = readUpdate(call);
    updateVm(call, update, () => {});
    return null;
  },
  'POST /nodes/{node}/qemu/{vmid}/config': updateInTask,
  'PUT /nodes/{node}/qemu/{vmid}/unlink': (call) => {
    const update = readUpdate(call, call.text('idlist') ?? '');
    updateVm(call, update, () => {});
    return null;
  },
};

export function defineUpdateTask(pve: Pve): void {
  pve.tasks.define<{ update: Update; user: string }>(TASK, ({ update, user }, task) => {
    updateVm(callerWithId(pve, user), update, (line) => task.log(line));
    return undefined;
  });
}

async function updateInTask(call: Call): Promise<string | null> {
  const update = readUpdate(call);
  const upid = call.pve.tasks.start(call, {
    node: update.host,
    type: TASK,
    id: String(update.vmid),
    args: { update, user: call.who.id },
    duration: 300,
  });
  const delay = call.number('background_delay') ?? 0;
  if (delay === 0) return upid;
  const failure = (status: string) => `failed to update VM ${update.vmid}: ${status}`;
  return (await waitForTask(call.pve, upid, delay, failure)) ? null : upid;
}

/** Parameters of the call that are no options of the VM. */
const NOT_OPTIONS = new Set([
  'node',
  'vmid',
  'digest',
  'background_delay',
  'skip_cloud_init',
  'import-working-storage',
  'skiplock',
  'delete',
  'revert',
  'force',
  'idlist',
]);

export function configParams(call: Call, exclude: ReadonlySet<string>): Config {
  const params: Config = {};
  for (const [key, value] of Object.entries(call.sent)) {
    if (exclude.has(key)) continue;
    if (value === undefined)
      throw new PveError(500, `unable to parse value of '${key}' - got undefined value`);
    params[key] = value;
  }
  // Weights of the newer control groups end at 10000.
  if (params.cpuunits !== undefined) params.cpuunits = String(Math.min(Number(params.cpuunits), 10_000));
  if (params.sshkeys !== undefined) assertSshKeys(params.sshkeys);
  return params;
}

function sentParams(call: Call): string {
  const logged = Object.entries(call.params).filter(
    ([key]) => !NOT_OPTIONS.has(key) || ['delete', 'revert', 'force', 'skiplock'].includes(key),
  );
  return logged
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `-${key} ${key === 'cipassword' ? '<hidden>' : value}`)
    .join(' ');
}

function splitList(text: string | undefined): string[] {
  return (text ?? '').split(/[,;\s]+/).filter((word) => word !== '');
}

/** The checks of `update_vm_api` in its order: which of two errors is told matters to callers. */
function readUpdate(call: Call, idlist?: string): Update {
  const host = nodeOf(call);
  const vmid = vmidOf(call);
  rootOnly(call, 'skiplock');
  const sent = configParams(call, NOT_OPTIONS);
  const removing = idlist ?? call.text('delete');
  const reverting = call.text('revert');
  if (!removing && !reverting && Object.keys(sent).length === 0) {
    throw new PveError(500, 'no options specified');
  }
  const params = resolveCdromAlias(sent);
  const revert = splitList(reverting);
  const remove = splitList(removing).map((key) => (key === 'cdrom' ? 'ide2' : key));
  assertLists(params, remove, revert);
  const set = normaliseNets(call.pve, normaliseDrives(call.pve, params));
  if (set.vmgenid === '1') set.vmgenid = call.pve.core.random.uuid();
  if (set.hookscript !== undefined) assertHookscript(call.pve, host, set.hookscript);
  requireForKeys(call, { vmid }, remove);
  requireForKeys(call, { vmid }, Object.keys(set));
  requireStorageAccess(call, vmid, set);
  requireForBridges(call, set);
  const digest = call.text('digest');
  const update: Update = {
    host,
    vmid,
    set,
    remove,
    revert,
    force: call.flag('force'),
    ...(digest ? { digest } : {}),
    skipLock: call.flag('skiplock'),
    sent: sentParams(call),
  };
  const vm = assertUpdatable(call, update);
  requireForCpu(call, set.cpu, vm.config.cpu);
  // Hashed at once: the task's arguments are kept on disk. Windows needs the password itself.
  if (set.cipassword !== undefined && !isWindows(vm.config.ostype)) {
    set.cipassword = encryptPassword(set.cipassword, call.pve.core.random);
  }
  return update;
}

function assertLists(params: Config, remove: readonly string[], revert: readonly string[]): void {
  for (const key of revert) {
    if (!isConfigKey(key)) throw PveError.parameter({ revert: `unknown option '${key}'` });
    if (params[key] !== undefined) {
      throw PveError.parameter({ delete: `you can't use '-${key}' and -revert ${key}' at the same time` });
    }
  }
  for (const key of remove) {
    if (params[key] !== undefined) {
      throw PveError.parameter({ delete: `you can't use '-${key}' and -delete ${key}' at the same time` });
    }
    if (revert.includes(key)) {
      throw PveError.parameter({
        revert: `you can't use '-delete ${key}' and -revert ${key}' at the same time`,
      });
    }
    if (!isConfigKey(key)) throw PveError.parameter({ delete: `unknown option '${key}'` });
  }
}

function assertHookscript(pve: Pve, host: string, volid: string): void {
  const split = splitVolumeId(volid);
  const type = split && locate(pve, volid).volume.type;
  if (type !== 'snippets') {
    throw PveError.parameter({ hookscript: `'${volid}' is not in the snippets directory\n` });
  }
  if (!findVolume(pve.db, host, volid)) {
    throw PveError.parameter({ hookscript: `script '${volid}' does not exist\n` });
  }
}
