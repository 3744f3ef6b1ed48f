/** Health is a list of named conditions, in the order in which a person would look. */
export const LAYERS = ['proxmox', 'machines', 'volumes', 'etcd', 'kubernetes', 'certificates'] as const;
export type Layer = (typeof LAYERS)[number];

export interface Condition {
  readonly layer: Layer;
  /** `vm-running`, `etcd-members`: stable, for scripts. */
  readonly name: string;
  /** Node, host or object it is about; absent: the cluster. */
  readonly subject?: string;
  /**
   * `unknown`: it could not be read. `skipped`: it does not apply, and `message` says why. `note`: worth knowing, and
   * nothing is wrong.
   */
  readonly state: 'ok' | 'failed' | 'unknown' | 'skipped' | 'note';
  readonly message: string;
  /** What to look at. */
  readonly advice?: string;
}

/** How conditions of one layer are said: it holds, it does not and here is what to look at, or it could not be read. */
export function conditionsOf(layer: Layer) {
  return {
    condition(
      name: string,
      subject: string | undefined,
      ok: boolean,
      message: string,
      advice: string,
    ): Condition {
      return {
        layer,
        name,
        ...(subject !== undefined && { subject }),
        state: ok ? 'ok' : 'failed',
        message,
        ...(ok ? {} : { advice }),
      };
    },
    unread(name: string, why: string): Condition {
      return { layer, name, state: 'unknown', message: `could not be read: ${why}` };
    },
  };
}

/** `unknown`: nothing failed, and something could not be read. */
export type HealthVerdict = 'healthy' | 'unhealthy' | 'unknown';

export function healthVerdict(conditions: readonly Condition[], isComplete: boolean): HealthVerdict {
  if (conditions.some(({ state }) => state === 'failed')) return 'unhealthy';
  return isComplete && isHealthy(conditions) ? 'healthy' : 'unknown';
}

export function isHealthy(conditions: readonly Condition[]): boolean {
  return conditions.every(({ state }) => state !== 'failed' && state !== 'unknown');
}
