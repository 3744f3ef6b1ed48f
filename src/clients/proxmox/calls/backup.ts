/** Backup jobs of the Proxmox cluster. */
import { apiCall } from '../api-call.js';
import type { ApiSession } from '../api-session.js';
import { asList, type Json, text } from '../decode.js';

interface BackupJob {
  readonly id: string;
  /** Every option as text, property strings in the order of their names. */
  readonly settings: Readonly<Record<string, string>>;
}

export interface BackupCalls {
  backupJobs(): Promise<BackupJob[]>;
  createBackupJob(id: string, settings: Readonly<Record<string, string>>): Promise<void>;
  updateBackupJob(id: string, settings: Readonly<Record<string, string>>): Promise<void>;
  /** The job alone: what it made stays on its storage. */
  deleteBackupJob(id: string): Promise<void>;
}

export function backupCalls(session: ApiSession): BackupCalls {
  const call = apiCall(session);
  return {
    async backupJobs() {
      return asList((await call('GET /cluster/backup', {})).data, 'backup jobs', (record) => ({
        id: text(record, 'id'),
        settings: settingsOf(record),
      }));
    },
    async createBackupJob(id, settings) {
      await call('POST /cluster/backup', { id, ...typed(settings) });
    },
    async updateBackupJob(id, settings) {
      await call('PUT /cluster/backup/{id}', { id, ...typed(settings) });
    },
    async deleteBackupJob(id) {
      await call('DELETE /cluster/backup/{id}', { id });
    },
  };
}

function typed({ enabled, mode: _, ...settings }: Readonly<Record<string, string>>) {
  return {
    ...settings,
    mode: 'snapshot' as const,
    ...(enabled !== undefined && { enabled: enabled === '1' }),
  };
}

function settingsOf(record: Json): Record<string, string> {
  return Object.fromEntries(
    Object.entries(record).flatMap(([key, value]) => {
      if (value === undefined || value === null) return [];
      if (typeof value !== 'object') return [[key, String(value)]];
      return [
        [
          key,
          Object.entries(value)
            .map(([name, part]) => `${name}=${String(part)}`)
            .sort()
            .join(','),
        ],
      ];
    }),
  );
}
