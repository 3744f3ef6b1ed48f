/** Backup jobs (pve-manager, PVE/API2/Backup.pm); recording `backup-jobs`. They are kept and never run by themselves. */
import { denied } from '../access/denied.js';
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { METHODS } from '../gen/schema.js';
import { withClusterLock } from '../quorum.js';
import { withoutEmpty } from '../section-config.js';
import { parsePropertyString } from '../validation/check.js';
import { splitList } from '../validation/formats.js';
import { nextRun } from './calendar.js';
import { requireBackupStorage, requireFleecingRights, requireOptionRights } from './rights.js';
import { checkOptions, checkSelected } from './selection.js';

export type BackupJob = Record<string, string | number | string[]> & { id: string };

export const backupJobHandlers: Handlers = {
  'GET /cluster/backup': ({ pve }) => [...pve.db.backupJobs.values()].map((job) => listed(pve, job)),
  'POST /cluster/backup': createJob,
  'GET /cluster/backup/{id}': (call) => describe(requireJob(call)),
  'PUT /cluster/backup/{id}': updateJob,
  'DELETE /cluster/backup/{id}': (call) =>
    inJobsLock(call.pve, () => {
      call.pve.db.backupJobs.delete(requireJob(call).id);
      return null;
    }),
};

/** Options that are read back as objects. */
const OBJECTS: Readonly<Record<string, string>> = {
  'prune-backups': 'prune-backups',
  performance: 'backup-performance',
  fleecing: 'backup-fleecing',
};

function describe(job: BackupJob): Record<string, unknown> {
  const shown: Record<string, unknown> = { type: 'vzdump', ...job };
  for (const [name, format] of Object.entries(OBJECTS)) {
    if (typeof job[name] !== 'string') continue;
    const fields = parsePropertyString(format, job[name], name);
    shown[name] = name === 'prune-backups' ? retention(fields) : readBack(fields);
  }
  return shown;
}

/** When it runs next is said in the list only, and of jobs that are disabled too. */
function listed(pve: Pve, job: BackupJob): Record<string, unknown> {
  const next = nextRun(String(job.schedule ?? ''), pve.core.clock.now());
  return { ...describe(job), ...(next === undefined ? {} : { 'next-run': next }) };
}

/** A retention that keeps nothing keeps all. */
function retention({
  'keep-all': _all,
  ...counts
}: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.values(counts).some((count) => Number(count) > 0) ? counts : { 'keep-all': 1 };
}

/** Perl reads switches of a property string as numbers, and all else as text. */
function readBack(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(fields);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, SWITCHES.has(name) ? Number(value) : value]),
  );
}

const SWITCHES = new Set(['enabled']);

/** An exception that leaves the lock has lost its code: status and reason are lines of the message. */
export async function inJobsLock<T>(pve: Pve, change: () => T): Promise<T> {
  return withClusterLock(pve, 'jobs_cfg', '', () => {
    try {
      return change();
    } catch (error) {
      if (!(error instanceof PveError) || error.errors === undefined) throw error;
      const lines = Object.entries(error.errors).map(([name, text]) => `${name}: ${text}\n`);
      throw new PveError(500, `${error.status} ${error.message.trimEnd()}\n${lines.join('')}`);
    }
  });
}

export function requireJob(call: Call): BackupJob {
  const id = call.text('id') ?? '';
  const job = call.pve.db.backupJobs.get(id);
  if (!job) throw PveError.parameter({ id: `No such job '${id}'` });
  return job;
}

function given(call: Call): Record<string, string | number | string[]> {
  const { id: _id, delete: _delete, starttime: _time, dow: _days, ...params } = call.params;
  const excluded = call.list('exclude-path');
  return { ...params, ...(excluded.length > 0 ? { 'exclude-path': [...excluded] } : {}) };
}

function requirePoolRights(call: Call): void {
  const pool = call.text('pool');
  if (!pool) return;
  if (!call.pve.db.pools.has(pool)) throw denied(`pool '${pool}' does not exist`);
  call.require(`/pool/${pool}`, ['VM.Backup']);
}

/** Days and time of old clients become a schedule. */
function scheduleOf(call: Call, required: boolean): string | undefined {
  const schedule = call.text('schedule');
  const starttime = call.text('starttime');
  if (schedule !== undefined && starttime !== undefined) {
    throw PveError.parameter({ starttime: "'starttime' and 'schedule' cannot both be set" });
  }
  if (schedule === undefined && starttime === undefined && required) {
    throw PveError.parameter({ schedule: "neither 'starttime' nor 'schedule' were set" });
  }
  if (starttime === undefined) return schedule;
  const days = call.text('dow');
  return days === undefined ? starttime : `${splitList(days).join(',')} ${starttime}`;
}

async function createJob(call: Call): Promise<null> {
  requireOptionRights(call, Object.keys(call.params));
  requireFleecingRights(call);
  requireBackupStorage(call, call.text('storage') || 'local');
  requirePoolRights(call);
  const schedule = scheduleOf(call, true) ?? '';
  const { db, core } = call.pve;
  const id = call.text('id') ?? core.random.uuid();
  return inJobsLock(call.pve, () => {
    if (db.backupJobs.has(id)) throw new PveError(500, `Job '${id}' already exists`);
    const job: BackupJob = { enabled: 1, ...given(call), schedule, id };
    checkOptions(job);
    checkSelected(job);
    db.backupJobs.put(id, written(job));
    return null;
  });
}

const DELETABLE = new Set(['comment', 'repeat-missed']);
const VZDUMP_OPTIONS = new Set(
  Object.keys(
    METHODS.find(({ method, path }) => method === 'POST' && path === '/nodes/{node}/vzdump')?.parameters
      .properties ?? {},
  ),
);

function updateJob(call: Call): Promise<null> {
  const gone = splitList(call.text('delete') ?? '');
  requireOptionRights(call, Object.keys(call.params));
  requireFleecingRights(call);
  requireOptionRights(call, gone);
  if (call.text('storage')) requireBackupStorage(call, call.text('storage') ?? '');
  else if (gone.includes('storage')) requireBackupStorage(call, 'local');
  requirePoolRights(call);
  const schedule = scheduleOf(call, false);
  return inJobsLock(call.pve, () => {
    const id = call.text('id') ?? '';
    const remove = gone;
    const changes = { ...given(call), ...(schedule === undefined ? {} : { schedule }) };
    if (Object.keys(changes).length === 0 && remove.length === 0) {
      throw new PveError(500, 'no options specified');
    }
    checkOptions(changes);
    const before = call.pve.db.backupJobs.get(id);
    if (!before) throw new PveError(500, 'no such vzdump job');
    requireBackupStorage(call, String(before.storage ?? 'local'));
    const job = { ...before };
    for (const key of remove) {
      if (!VZDUMP_OPTIONS.has(key) && !DELETABLE.has(key)) {
        throw PveError.parameter({ delete: `unknown option '${key}'` });
      }
      delete job[key];
    }
    narrow(job, withAll(changes));
    checkOptions(job);
    checkSelected(job);
    call.pve.db.backupJobs.put(id, written(job));
    return null;
  });
}

/** Guests that are left out are left out of all. */
function withAll<T extends Options>(options: T): T {
  return options.exclude !== undefined && !options.pool ? { ...options, all: 1 } : options;
}

/** Without what is empty; guests that are left out are left out of all. */
function written(job: BackupJob): BackupJob {
  return { ...withoutEmpty(withAll(job)), id: job.id };
}

/** A new way to select takes the place of the old one. */
function narrow(job: BackupJob, changes: ReturnType<typeof given>): void {
  Object.assign(job, changes);
  const drop = (...keys: string[]) => {
    for (const key of keys) delete job[key];
  };
  if (job.exclude !== undefined && job.pool === undefined) job.all = 1;
  if (changes.vmid !== undefined) drop('all', 'exclude', 'pool');
  else if (changes.all === 1) drop('vmid', 'pool');
  else if (job.pool !== undefined) drop('vmid', 'all', 'exclude');
}

type Options = Readonly<Record<string, unknown>>;

/** A VM that was destroyed with `purge` is in no job any more; a job that is left without members goes too. */
export function purgeFromJobs(pve: Pick<Pve, 'db'>, vmid: number): void {
  for (const [id, job] of [...pve.db.backupJobs.entries()]) {
    const without = (list: unknown) => splitList(String(list ?? '')).filter((item) => item !== String(vmid));
    if (job.vmid !== undefined) {
      const left = without(job.vmid);
      if (left.length === splitList(String(job.vmid)).length) continue;
      if (left.length === 0) pve.db.backupJobs.delete(id);
      else pve.db.backupJobs.put(id, { ...job, vmid: left.join(',') });
    } else if (job.exclude !== undefined) {
      const left = without(job.exclude);
      const { exclude: _all, ...rest } = job;
      pve.db.backupJobs.put(id, left.length === 0 ? { ...rest, id } : { ...job, exclude: left.join(',') });
    }
  }
}
