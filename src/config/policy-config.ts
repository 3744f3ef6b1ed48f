/** The section `policy`, resolved. */

export interface PolicyConfig {
  readonly maxUnavailable: { readonly workers: number | `${number}%` };
  readonly spreadHosts: boolean;
  readonly outage: 'ask' | 'allow' | 'refuse';
  readonly rehearse: 'never' | 'before-restart';
  readonly drain: {
    readonly timeoutSeconds: number;
    readonly deleteLocalData: boolean;
    readonly force: boolean;
  };
  readonly etcdSnapshotMaxAgeSeconds: number;
  /** Files that stay below `.oxherd`; the oldest go first. */
  readonly keep: { readonly snapshots: number; readonly runs: number };
  readonly gates: readonly GateConfig[];
  readonly overcommit: { readonly memory: boolean; readonly cpuRatio: number };
  readonly upgrade: 'in-place' | 'replace';
  /** Commands around the maintenance of a host. */
  readonly host: { readonly before?: string; readonly after?: string };
}

/** A condition over one Kubernetes resource that must hold between disruptions. */
export interface GateConfig {
  readonly name: string;
  readonly resource: string;
  readonly namespace?: string;
  readonly object?: string;
  readonly expression: string;
  /** If the cluster does not serve the resource. */
  readonly ifMissing: 'closed' | 'open';
  readonly timeoutSeconds: number;
}

/** The section `backup`, resolved. */
export interface BackupConfig {
  readonly storage: string;
  readonly schedule: string;
  /** As Proxmox writes it: `keep-daily=7,keep-weekly=4`; absent: the storage decides. */
  readonly prune?: string;
  readonly maxAgeSeconds: number;
}
