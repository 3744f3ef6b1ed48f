/** The backup jobs, and what they have made: asked only where the file has a section `backup`. */
import type { ProxmoxClient } from '../clients/proxmox/client.js';
import type { BackupDesign } from '../design/design.js';
import { attempt } from './attempt.js';
import type { Observed, ObservedBackup } from './observed.js';

export async function observeBackup(
  client: ProxmoxClient,
  { storage }: BackupDesign,
  { storages, hosts }: Pick<Observed, 'storages' | 'hosts'>,
): Promise<ObservedBackup> {
  const places = Object.values(storages).filter(
    (place) => place.name === storage && place.active && hosts[place.host]?.online === true,
  );
  const asked = places.some((place) => place.shared) ? places.slice(0, 1) : places;
  const [jobs, newest] = await Promise.all([
    attempt(async () =>
      Object.fromEntries((await client.backupJobs()).map(({ id, settings }) => [id, settings])),
    ),
    attempt(async () => {
      if (asked.length === 0) throw new Error(`no host has the storage ${storage}`);
      const listed = await Promise.all(
        asked.map(({ host }) => client.storageContent(host, storage, { content: 'backup' })),
      );
      const times: Record<number, number> = {};
      for (const { vmid, ctime } of listed.flat()) {
        if (vmid === undefined || ctime === undefined) continue;
        times[vmid] = Math.max(times[vmid] ?? 0, ctime * 1_000);
      }
      return times;
    }),
  ]);
  return { jobs, newest };
}
