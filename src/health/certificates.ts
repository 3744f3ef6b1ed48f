import type { Condition } from './condition.js';

export interface CertificateTerm {
  /** `talosconfig`, `kubeconfig`, `Talos CA` */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
  /** What makes a new one. */
  readonly renew: string;
}

const DAY_MS = 24 * 3_600_000;
const NEAR_DAYS = 30;

/** `now` is the wall's: certificates know no other time. */
export function certificateConditions(certificates: readonly CertificateTerm[], now: number): Condition[] {
  return certificates.map(({ name, notAfter, renew }) => {
    const days = Math.floor((notAfter - now) / DAY_MS);
    const base = { layer: 'certificates', name: 'certificate-valid', subject: name } as const;
    if (days >= NEAR_DAYS) return { ...base, state: 'ok', message: `valid for ${days} days` };
    return {
      ...base,
      state: 'failed',
      message: days < 0 ? `ended ${-days} days ago` : `ends in ${days} days`,
      advice: renew,
    };
  });
}
