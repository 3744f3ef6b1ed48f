/** Jobs that bring users of a directory in (pve-access-control, PVE/API2/Jobs/RealmSync.pm). Kept, and never run. */
import { type Call, type Handlers, PveError } from '../api.js';
import { nextRun } from '../backup/calendar.js';
import { inJobsLock } from '../backup/jobs.js';
import {
  changeSection,
  checkSection,
  type Settings,
  sectionOptions,
  withoutEmpty,
} from '../section-config.js';
import { splitList } from '../validation/formats.js';
import { realmNamed } from './realms.js';

const OPTIONS = sectionOptions('enabled schedule+ comment scope+ realm! enable-new remove-vanished');
const PATH = '/cluster/jobs/realm-sync';

export const realmSyncHandlers: Handlers = {
  'GET /cluster/jobs': () => [{ subdir: 'schedule-analyze' }, { subdir: 'realm-sync' }],
  [`GET ${PATH}`]: ({ pve }) =>
    [...pve.db.realmSyncJobs.entries()].map(([id, job]) => {
      const next = nextRun(String(job.schedule), pve.core.clock.now());
      return {
        type: 'realm-sync',
        ...job,
        id,
        'last-run': null,
        ...(next === undefined ? {} : { 'next-run': next }),
      };
    }),
  [`GET ${PATH}/{id}`]: (call) => ({ type: 'realm-sync', ...requireJob(call) }),
  [`POST ${PATH}/{id}`]: create,
  [`PUT ${PATH}/{id}`]: update,
  [`DELETE ${PATH}/{id}`]: (call) =>
    inJobsLock(call.pve, () => {
      requireJob(call);
      call.pve.db.realmSyncJobs.delete(jobId(call));
      return null;
    }),
  'GET /cluster/jobs/schedule-analyze': analyze,
};

const jobId = (call: Call) => call.text('id') ?? '';

function requireJob(call: Call): Settings {
  const job = call.pve.db.realmSyncJobs.get(jobId(call));
  if (!job) throw PveError.parameter({ id: `No such job '${jobId(call)}'` });
  return job;
}

function create(call: Call): Promise<null> {
  const { id: _id, ...given } = call.params;
  const { db } = call.pve;
  const id = jobId(call);
  return inJobsLock(call.pve, () => {
    if (db.realmSyncJobs.has(id) || db.backupJobs.has(id))
      throw new PveError(500, `Job '${id}' already exists`);
    const job = checkSection(OPTIONS, given, true);
    const realm = realmNamed(call.pve, String(job.realm));
    if (!realm) throw PveError.parameter({ realm: `No such realm '${job.realm}'` });
    if (realm.type !== 'ldap' && realm.type !== 'ad') {
      throw PveError.parameter({ realm: 'Only LDAP/AD realms can be synced.' });
    }
    db.realmSyncJobs.put(id, withoutEmpty(job));
    return null;
  });
}

function update(call: Call): Promise<null> {
  const { id: _id, delete: remove, ...given } = call.params;
  if (Object.keys(given).length === 0) throw new PveError(500, 'no job options specified');
  return inJobsLock(call.pve, () => {
    const changes = checkSection(OPTIONS, given, false);
    const job = call.pve.db.realmSyncJobs.get(jobId(call));
    if (!job) throw new PveError(500, 'no such realm-sync job');
    const gone = splitList(String(remove ?? ''));
    call.pve.db.realmSyncJobs.put(jobId(call), withoutEmpty(changeSection(OPTIONS, job, changes, gone)));
    return null;
  });
}

/** `Thu Sep  9 01:46:40 1999` */
function perlTime(seconds: number): string {
  const [day = '', date = '', month = '', year = '', time = ''] = new Date(seconds * 1000)
    .toUTCString()
    .replace(',', '')
    .split(' ');
  return `${day} ${month} ${String(Number(date)).padStart(2)} ${time} ${year}`;
}

/** When a schedule would strike (pve-manager, PVE/API2/Cluster/Jobs.pm). */
function analyze(call: Call): unknown {
  const schedule = call.text('schedule') ?? '';
  let from = (call.number('starttime') ?? Math.floor(call.pve.core.clock.now() / 1000)) * 1000;
  const found: { timestamp: number; utc: string }[] = [];
  for (let left = call.number('iterations') ?? 10; left > 0; left -= 1) {
    const timestamp = nextRun(schedule, from);
    if (timestamp === undefined) break;
    found.push({ timestamp, utc: perlTime(timestamp) });
    from = timestamp * 1000;
  }
  return found;
}
