/** `POST /nodes/{node}/vzdump` (pve-manager, PVE/API2/VZDump.pm, PVE/VZDump.pm); recording `backup-jobs`. */
import { type Call, type Handlers, type Pve, PveError, type TaskContext } from '../api.js';
import type { StorageRecord } from '../db.js';
import { callerWithId, nodeOf } from '../http/request.js';
import { configText } from '../qemu/config/vm-config.js';
import { findVm, loadVm } from '../qemu/vms.js';
import { requireVolumeAccess } from '../storage/access.js';
import { activate } from '../storage/add-checks.js';
import { locate, requireStorage, requireStorageOnNode } from '../storage/storages.js';
import { volumePath } from '../storage/volume-name.js';
import { errorText } from '../tasks/task-error.js';
import { archiveVm, requireArchive } from './archive.js';
import { writeNotes } from './notes-template.js';
import { pruneMarks, removePruned } from './prune.js';
import { requireFleecingRights, requireOptionRights } from './rights.js';
import { checkOptions, checkSelected, selectedGuests } from './selection.js';

const TASK = 'vzdump';

interface Backup {
  readonly host: string;
  readonly vmids: readonly number[];
  readonly options: Readonly<Record<string, string | number>>;
  readonly user: string;
  /** How many are done, and when the one under way was locked. */
  readonly done?: number;
}

export const vzdumpHandlers: Handlers = {
  'POST /nodes/{node}/vzdump': startBackup,
  'GET /nodes/{node}/vzdump/defaults': readDefaults,
  'GET /nodes/{node}/vzdump/extractconfig': extractConfig,
};

export function defineBackupTask(pve: Pve): void {
  pve.tasks.define<Backup>(TASK, (backup, task) => carryOut(pve, backup, task));
}

function startBackup(call: Call): string {
  const host = nodeOf(call);
  const { node: _node, ...options } = call.params;
  if (call.flag('stdout')) {
    throw PveError.parameter({ stdout: 'option is only allowed on the command line interface.' });
  }
  const storage = call.text('storage') ?? 'local';
  requireOptionRights(call, Object.keys(options));
  requireFleecingRights(call);
  if (call.text('prune-backups') !== undefined) call.require(`/storage/${storage}`, ['Datastore.Allocate']);
  checkOptions(options);
  checkSelected(options);
  const guests = selectedGuests(call.pve, options);
  // What no longer exists is taken here, and fails for all to see.
  const vmids = [...(guests.get(host) ?? []), ...(guests.get('') ?? [])].sort((a, b) => a - b);
  if (call.flag('stop')) call.require(`/nodes/${host}`, ['Sys.Modify']);
  if (vmids.length === 0 && !everyGuest(options)) return 'OK';
  call.require(`/storage/${storage}`, ['Datastore.AllocateSpace']);
  const [only] = vmids;
  return call.pve.tasks.start(call, {
    node: host,
    type: TASK,
    id: vmids.length === 1 ? String(only) : '',
    args: { host, vmids, options: { ...options, storage }, user: call.who.id },
    duration: 1_000 + vmids.length * 3_000,
  });
}

function carryOut(pve: Pve, { host, vmids, options, user }: Backup, task: TaskContext): undefined {
  const storage = backupStorage(pve, String(options.storage), host);
  const info = (line: string) => task.log(`INFO: ${line}`);
  info(`starting new backup job: vzdump ${commandLine(host, vmids, options)}`);
  let failed = false;
  for (const vmid of vmids) {
    const now = new Date(pve.core.clock.now()).toISOString().slice(0, 19).replace('T', ' ');
    try {
      backupOne(pve, { host, vmid, storage, options, user, now, info });
    } catch (error) {
      failed = true;
      task.log(`ERROR: Backup of VM ${vmid} failed - ${errorText(error)}`);
      info(`Failed at ${now}`);
    }
  }
  info(failed ? 'Backup job finished with errors' : 'Backup job finished successfully');
  if (failed) throw new PveError(500, 'job errors');
  return undefined;
}

/** A job that names no guests takes all. */
function everyGuest(options: Readonly<Record<string, string | number>>): boolean {
  return options.all === 1 || (options.exclude !== undefined && !options.pool);
}

function assertHoldsBackups({ id, content }: StorageRecord): void {
  if (content.includes('backup')) return;
  throw new PveError(500, `can't use storage '${id}' for backups - wrong content type`);
}

function backupStorage(pve: Pve, id: string, host: string): string {
  const problems: string[] = [];
  const attempt = (what: string, act: () => void) => {
    try {
      act();
    } catch (error) {
      problems.push(`${what} '${id}': ${errorText(error)}`);
    }
  };
  attempt('could not activate storage', () => activate(requireStorageOnNode(pve, id, host)));
  attempt('could not get storage information for', () => {
    assertHoldsBackups(requireStorage(pve, id));
  });
  if (problems.length > 0) throw new PveError(500, problems.join(' '));
  return id;
}

interface OneBackup {
  readonly host: string;
  readonly vmid: number;
  readonly storage: string;
  readonly options: Backup['options'];
  readonly user: string;
  readonly now: string;
  info(line: string): void;
}

function backupOne(pve: Pve, { host, vmid, storage, options, user, now, info }: OneBackup): void {
  if (!findVm(pve, host, vmid)) throw new PveError(500, `unable to find VM '${vmid}'`);
  const vm = loadVm(pve, host, vmid);
  callerWithId(pve, user).require(`/vms/${vmid}`, ['VM.Backup']);
  if (vm.config.lock) throw new PveError(500, `VM is locked (${vm.config.lock})`);
  info(`Starting Backup of VM ${vmid} (qemu)`);
  info(`Backup started at ${now}`);
  info(`status = ${vm.running ? 'running' : 'stopped'}`);
  info(`VM Name: ${vm.config.name ?? ''}`);
  info(`backup mode: ${vm.running ? String(options.mode ?? 'snapshot') : 'stop'}`);
  info('ionice priority: 7');
  archiveVm(
    pve,
    vm,
    {
      storage,
      compress: String(options.compress ?? '0'),
      ...(options['notes-template'] === undefined
        ? {}
        : { notes: notes(String(options['notes-template']), vm.config.name, vmid, host) }),
      isProtected: options.protected === 1,
    },
    info,
  );
  if (options.remove !== 0) prune(pve, { host, vmid, storage, options, info });
  info(`Finished Backup of VM ${vmid} (00:00:01)`);
  info(`Backup finished at ${now}`);
}

function notes(template: string, name: string | undefined, vmid: number, node: string): string {
  const guestname = name ?? `VM ${vmid}`;
  return writeNotes(template, { cluster: 'standalone node', guestname, node, vmid: String(vmid) });
}

/** What the job says, else what the storage says, else everything is kept. */
function prune(pve: Pve, { host, vmid, storage, options, info }: Omit<OneBackup, 'user' | 'now'>): void {
  const keep = options['prune-backups'] ?? requireStorage(pve, storage).options?.['prune-backups'];
  if (keep === undefined) return;
  info(`prune older backups with retention: ${keep}`);
  const marks = pruneMarks(pve, { host, storage, keep: String(keep), vmid });
  const gone = removePruned(pve, host, marks);
  for (const volid of gone) info(`removing backup '${volid}'`);
  info(`pruned ${gone.length} backup(s) not covered by keep-retention policy`);
}

function commandLine(host: string, vmids: readonly number[], options: Backup['options']): string {
  const { vmid: _vmid, ...rest } = options;
  const flags = Object.entries({ node: host, ...rest })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `--${name} ${value}`);
  return [...vmids, ...flags].join(' ');
}

/** What vzdump does where nothing is said; the storage's own retention counts. */
function readDefaults(call: Call): unknown {
  const id = call.text('storage') ?? 'local';
  const storage = requireStorage(call.pve, id);
  call.require(`/storage/${id}`, ['Datastore.Audit', 'Datastore.AllocateSpace'], { any: true });
  assertHoldsBackups(storage);
  const place = { type: 'backup', name: 'x', isBase: false, format: 'raw', place: 'backup/x' } as const;
  // A user who may not look at the host need not know these.
  const hostSide = call.allows(`/nodes/${nodeOf(call)}`, ['Sys.Audit'])
    ? {
        ionice: 7,
        ...(storage.path === undefined ? {} : { dumpdir: volumePath(storage, place).replace(/\/x$/, '') }),
      }
    : {};
  return {
    ...hostSide,
    all: 0,
    bwlimit: 0,
    compress: '0',
    fleecing: { enabled: 0 },
    lockwait: 180,
    mailnotification: 'always',
    mode: 'snapshot',
    'notification-mode': 'auto',
    performance: { 'max-workers': 16, 'pbs-entries-max': 1_048_576 },
    pigz: 0,
    'prune-backups': String(storage.options?.['prune-backups'] ?? 'keep-all=1'),
    quiet: 0,
    remove: 1,
    stdexcludes: 1,
    stop: 0,
    stopwait: 10,
    storage: id,
    zstd: 1,
  };
}

function extractConfig(call: Call): string {
  const volid = call.text('volume') ?? '';
  requireVolumeAccess(call, volid, undefined, 'backup');
  const { owner } = locate(call.pve, volid).volume;
  call.require(`/vms/${owner ?? ''}`, ['VM.Backup']);
  const { vmid, config } = requireArchive(call.pve, nodeOf(call), volid);
  return configText({
    vmid,
    host: nodeOf(call),
    config,
    pending: { set: {}, delete: [] },
    snapshots: {},
    template: false,
  });
}
