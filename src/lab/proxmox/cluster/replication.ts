/** Replication jobs (pve-manager, PVE/API2/ReplicationConfig.pm). They are kept and never run. */
import { type Call, type Handlers, type Pve, PveError } from '../api.js';
import { drivesOf, isCdrom, ownsVolume } from '../qemu/disks/drives.js';
import { withClusterLock } from '../quorum.js';
import { assertDigest, digestOfText } from '../section-config.js';
import { splitList } from '../validation/formats.js';

/** As the file has it; `removedAt`: when pvesr, which looks every minute, has taken a marked job away. */
export interface ReplicationJob {
  readonly id: string;
  readonly guest: number;
  readonly jobnum: number;
  readonly target: string;
  readonly options: Readonly<Record<string, string | number>>;
  readonly removedAt?: number;
}

const REMOVAL_MS = 60_000;

export const replicationHandlers: Handlers = {
  'GET /cluster/replication': (call) =>
    jobsOf(call.pve)
      .filter(({ guest }) => call.allows(`/vms/${guest}`, ['VM.Audit']))
      .map((job) => shownJob(call.pve, job)),
  'GET /cluster/replication/{id}': (call) => {
    const job = findJob(call);
    if (!job) throw new PveError(500, `no such replication job '${call.text('id') ?? ''}'`);
    call.require(`/vms/${job.guest}`, ['VM.Audit']);
    return { ...shownJob(call.pve, job), digest: digestOf(call.pve) };
  },
  'POST /cluster/replication': create,
  'PUT /cluster/replication/{id}': update,
  'DELETE /cluster/replication/{id}': remove,
};

export function jobsOf({ db, core }: Pick<Pve, 'db' | 'core'>): ReplicationJob[] {
  const now = core.clock.now();
  return [...db.replicationJobs.values()].filter(
    ({ removedAt }) => removedAt === undefined || removedAt > now,
  );
}

/** `check_for_existing_jobs`: the first job of a guest. */
export function replicationOf(pve: Pick<Pve, 'db' | 'core'>, vmid: number): ReplicationJob | undefined {
  return jobsOf(pve).find(({ guest }) => guest === vmid);
}

export function forgetReplication({ db }: Pick<Pve, 'db'>, vmid: number): void {
  for (const [id, job] of [...db.replicationJobs.entries()])
    if (job.guest === vmid) db.replicationJobs.delete(id);
}

export function shownJob(pve: Pve, job: ReplicationJob): Record<string, unknown> {
  const { id, guest, jobnum, target, options } = job;
  const source = guestHost(pve, guest);
  return { id, type: 'local', guest, jobnum, target, ...(source !== undefined && { source }), ...options };
}

export function guestHost({ db }: Pick<Pve, 'db'>, vmid: number): string | undefined {
  return (db.vms.get(String(vmid)) ?? db.containers.get(String(vmid)))?.host;
}

function digestOf(pve: Pve): string {
  return digestOfText(jobsOf(pve));
}

function findJob(call: Call): ReplicationJob | undefined {
  return jobsOf(call.pve).find((one) => one.id === call.text('id'));
}

function requireJob(call: Call): ReplicationJob {
  const job = findJob(call);
  if (!job) throw new PveError(500, `no such job '${call.text('id') ?? ''}'`);
  return job;
}

/** The id of a job says whose it is, before anyone looks whether it is there. */
function requireRight(call: Call): void {
  const [guest = ''] = (call.text('id') ?? '').split('-');
  call.require(`/vms/${guest}`, ['VM.Replicate']);
}

function optionsOf(call: Call): Record<string, string | number> {
  const { id: _id, type: _type, target: _target, delete: _delete, digest: _digest, ...options } = call.params;
  return options;
}

function create(call: Call): Promise<null> {
  const { pve } = call;
  const id = call.text('id') ?? '';
  const [guest = 0, jobnum = 0] = id.split('-').map(Number);
  const target = call.text('target') ?? '';
  requireRight(call);
  const host = guestHost(pve, guest);
  if (host === undefined) throw new PveError(500, `Guest '${guest}' does not exist.`);
  // A host alone is not even a member of its own cluster.
  if (pve.db.hosts.size < 2 || !pve.db.hosts.has(target))
    throw new PveError(500, `Target '${target}' does not exist.`);
  const source = call.text('source');
  if (source !== undefined && source !== host) {
    throw new PveError(500, `Source '${source}' does not match current node of guest '${guest}' (${host})`);
  }
  if (host === target) throw new PveError(500, 'Source and target must not be identical');
  requireVolumes(pve, guest);
  return withClusterLock(pve, 'replication_cfg', '', () => {
    if (jobsOf(pve).some((job) => job.id === id))
      throw new PveError(500, `replication job '${id}' already exists`);
    pve.db.replicationJobs.put(id, { id, guest, jobnum, target, options: optionsOf(call) });
    return null;
  });
}

/** Something to replicate, and nothing that cannot be: only ZFS can. */
function requireVolumes(pve: Pve, guest: number): void {
  const vm = pve.db.vms.get(String(guest));
  if (!vm) return;
  const storageOf = (volid: string) => pve.db.storages.get(volid.split(':')[0] ?? '');
  const own = drivesOf(vm.config)
    .filter(({ drive }) => !isCdrom(drive) && drive.options.replicate !== '0')
    .map(({ drive }) => drive.file)
    .filter((volid) => ownsVolume(pve, guest, volid) && !storageOf(volid)?.shared);
  const bad = own.find((volid) => storageOf(volid)?.type !== 'zfspool');
  if (bad !== undefined) throw new PveError(500, `missing replicate feature on volume '${bad}'`);
  if (own.length === 0) throw new PveError(500, 'No replicatable volumes found');
}

const REMOVABLE = ['disable', 'comment', 'rate', 'schedule', 'remove_job', 'source'];

function update(call: Call): Promise<null> {
  requireRight(call);
  return withClusterLock(call.pve, 'replication_cfg', '', () => {
    assertDigest(call.text('digest'), digestOf(call.pve));
    const job = requireJob(call);
    const options = { ...job.options, ...optionsOf(call) };
    for (const key of splitList(call.text('delete') ?? '')) {
      if (key === 'target') throw new PveError(500, `unable to delete required option '${key}'`);
      if (!REMOVABLE.includes(key)) throw new PveError(500, `no such option '${key}'`);
      delete options[key];
    }
    call.pve.db.replicationJobs.put(job.id, { ...job, options });
    return null;
  });
}

/** Marked for pvesr, which removes it with what it copied; with `force` only the entry goes, at once. */
function remove(call: Call): Promise<null> {
  requireRight(call);
  return withClusterLock(call.pve, 'replication_cfg', '', () => {
    if (call.flag('force')) {
      if (call.flag('keep')) throw PveError.parameter({ keep: "conflicts with parameter 'force'" });
      call.pve.db.replicationJobs.delete(call.text('id') ?? '');
      return null;
    }
    const job = requireJob(call);
    const options = { ...job.options, remove_job: call.flag('keep') ? 'local' : 'full' };
    const removedAt = call.pve.core.clock.now() + REMOVAL_MS;
    call.pve.db.replicationJobs.put(job.id, { ...job, options, removedAt });
    return null;
  });
}
