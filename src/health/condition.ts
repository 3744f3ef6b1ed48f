/** Health is a list of named conditions, in the order in which a person would look. */
export const LAYERS = ['proxmox', 'machines', 'volumes', 'etcd', 'kubernetes', 'certificates'] as const;
export type Layer = (typeof LAYERS)[number];

export interface Condition {
  readonly layer: Layer;
  /** `vm-running`, `etcd-members`: stable, for scripts. */
  readonly name: string;
  /** Node, host or object it is about; absent: the cluster. */
  readonly subject?: string;
  /** `unknown`: it could not be read. `skipped`: it does not apply, and `message` says why. */
  readonly state: 'ok' | 'failed' | 'unknown' | 'skipped';
  readonly message: string;
  /** What to look at. */
  readonly advice?: string;
}

export function isHealthy(conditions: readonly Condition[]): boolean {
  return conditions.every((condition) => condition.state === 'ok' || condition.state === 'skipped');
}
