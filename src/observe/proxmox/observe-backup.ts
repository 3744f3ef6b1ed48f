/** The backup jobs, and what they have made: the latter is asked only where oxherd.yaml has a section `backup`. */
import type { VolumeEntry } from '../../clients/proxmox/calls/storage.js';
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { BackupDesign } from '../../design/design.js';
import { attempt } from '../attempt.js';
import type { FailedBackupRun, NewestBackup, Observed, ObservedBackup } from '../observed.js';
import { notAsked } from '../observed.js';

type Made = Record<number, NewestBackup>;
type Around = Pick<Observed, 'storages' | 'hosts'>;

export async function observeBackup(
  client: ProxmoxClient,
  design: BackupDesign | undefined,
  around: Around,
): Promise<ObservedBackup> {
  const [jobs, newest, failedRuns] = await Promise.all([
    attempt(async () =>
      Object.fromEntries((await client.backupJobs()).map(({ id, settings }) => [id, settings])),
    ),
    design ? attempt(() => newestBackups(client, design.storage, around)) : notAsked<Made>(),
    design ? attempt(() => readFailedRuns(client, around)) : notAsked<FailedBackupRun[]>(),
  ]);
  return { jobs, newest, failedRuns };
}

async function newestBackups(
  client: ProxmoxClient,
  storage: string,
  { storages, hosts }: Around,
): Promise<Made> {
  const places = Object.values(storages).filter(
    (place) => place.name === storage && place.active && hosts[place.host]?.online === true,
  );
  const asked = places.some((place) => place.shared) ? places.slice(0, 1) : places;
  if (asked.length === 0) throw new Error(`no host has the storage ${storage}`);
  const listed = await Promise.all(
    asked.map(({ host }) => client.storageContent(host, storage, { content: 'backup' })),
  );
  const newest: Made = {};
  for (const entry of listed.flat().sort((a, b) => (a.ctime ?? 0) - (b.ctime ?? 0))) {
    if (entry.vmid === undefined || entry.ctime === undefined) continue;
    const at = entry.ctime * 1_000;
    const why = whyBad(entry);
    newest[entry.vmid] = why === undefined ? { good: at } : { ...newest[entry.vmid], bad: { at, why } };
  }
  return newest;
}

function whyBad({ size, verification }: VolumeEntry): string | undefined {
  if (verification === 'failed') return 'its verification failed';
  return size > 0 ? undefined : 'it is empty or not finished';
}

async function readFailedRuns(client: ProxmoxClient, { hosts }: Around): Promise<FailedBackupRun[]> {
  const online = Object.entries(hosts).filter(([, host]) => host.online);
  const runs = await Promise.all(
    online.map(async ([host]) =>
      (await client.endedTasks(host, 'vzdump'))
        .filter(({ status }) => !/^(OK|WARNINGS: \d+)$/.test(status))
        .map(({ id, startedAt, status }) => ({
          host,
          ...(/^\d+$/.test(id) && { vmid: Number(id) }),
          at: startedAt,
          status,
        })),
    ),
  );
  return runs.flat();
}
