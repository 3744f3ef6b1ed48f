import type { BackupConfig } from '../policy-config.js';
import type { ConfigFile } from '../schema/file.js';

const TWO_DAYS = 2 * 86_400;
/** In the order in which Proxmox reads them back. */
const KEPT = ['last', 'daily', 'weekly', 'monthly', 'yearly'] as const;

export function resolveBackup({ backup }: ConfigFile): { readonly backup?: BackupConfig } {
  if (!backup) return {};
  const { storage, schedule = '02:00', keep = {}, maxAge = TWO_DAYS } = backup;
  const prune = KEPT.flatMap((key) => (keep[key] === undefined ? [] : [`keep-${key}=${keep[key]}`])).join(
    ',',
  );
  return { backup: { storage, schedule, maxAgeSeconds: maxAge, ...(prune !== '' && { prune }) } };
}
