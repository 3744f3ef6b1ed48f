/**
 * What a host tells of the replication jobs of its guests (pve-manager, PVE/API2/Replication.pm). The lab runs none of
 * them, so each is one that has not run yet: without a state, and without a log.
 */
import { denied } from '../access/denied.js';
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { nextRun } from '../backup/calendar.js';
import { nodeOf } from '../http/request.js';
import { guestHost, jobsOf, type ReplicationJob, shownJob } from './replication.js';

const PATH = '/nodes/{node}/replication';
const SCHEDULE = '*/15';

export const replicationStatusHandlers: Handlers = {
  [`GET ${PATH}`]: (call) =>
    jobsOn(call.pve, nodeOf(call))
      .filter(({ guest }) => call.number('guest') === undefined || guest === call.number('guest'))
      .filter(({ guest }) => call.allows(`/vms/${guest}`, ['VM.Audit']))
      .map((job) => statusOf(call.pve, job)),
  [`GET ${PATH}/{id}`]: () => ['schedule_now', 'log', 'status'].map((name) => ({ name })),
  [`GET ${PATH}/{id}/status`]: (call) => {
    const job = requireJob(call, jobsOn(call.pve, nodeOf(call)));
    call.require(`/vms/${job.guest}`, ['VM.Audit']);
    return statusOf(call.pve, job);
  },
  [`GET ${PATH}/{id}/log`]: (call) => {
    const { guest } = requireJob(call, jobsOf(call.pve));
    const allowed =
      call.allows(`/vms/${guest}`, ['VM.Audit']) || call.allows(`/nodes/${nodeOf(call)}`, ['Sys.Audit']);
    if (!allowed) throw denied();
    call.total(1);
    return [{ n: 1, t: 'unable to open file - No such file or directory' }];
  },
  // Takes back when a job was tried last, of which nothing is known before its first run.
  [`POST ${PATH}/{id}/schedule_now`]: (call) => {
    const [guest = ''] = (call.text('id') ?? '').split('-');
    call.require(`/vms/${guest}`, ['VM.Replicate']);
    requireJob(call, jobsOf(call.pve));
    return null;
  },
};

/** `job_status`: of the guests that are here, to hosts other than this one. */
function jobsOn(pve: Pve, host: string): ReplicationJob[] {
  return jobsOf(pve)
    .filter(({ guest }) => guestHost(pve, guest) === host)
    .filter(({ target, options }) => target !== host || options.remove_job !== undefined)
    .sort((a, b) => (a.id < b.id ? -1 : 1));
}

function requireJob(call: Call, jobs: readonly ReplicationJob[]): ReplicationJob {
  const id = call.text('id') ?? '';
  const job = jobs.find((one) => one.id === id);
  if (!job) throw new PveError(500, `no such replication job '${id}'`);
  return job;
}

function statusOf(pve: Pve, job: ReplicationJob): Record<string, unknown> {
  const { schedule, remove_job: removed } = job.options;
  return {
    ...shownJob(pve, job),
    vmtype: pve.db.containers.has(String(job.guest)) ? 'lxc' : 'qemu',
    last_sync: 0,
    last_try: 0,
    fail_count: 0,
    // Counted from the last try: one that was never tried has been due for ever.
    next_sync: removed === undefined ? (nextRun(String(schedule || SCHEDULE), 0) ?? 0) : 1,
  };
}
