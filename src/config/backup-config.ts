/** The section `backup`, resolved. */
export interface BackupConfig {
  readonly storage: string;
  readonly schedule: string;
  /** As Proxmox writes it: `keep-daily=7,keep-weekly=4`; absent: the storage decides. */
  readonly prune?: string;
  readonly maxAgeSeconds: number;
}
