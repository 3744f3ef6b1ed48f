import type { Design } from '../design/design.js';
import type { ObservedKubernetes } from '../observe/observed-kubernetes.js';
import type { Condition } from './condition.js';

export interface CertificateTerm {
  /** `talosconfig`, `kubeconfig`, `Talos CA` */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly notAfter: number;
  /** What makes a new one. */
  readonly renew: string;
}

/** What the API server of each control plane shows. */
export function servingTerms(
  { nodes }: Design,
  servingUntil: Readonly<Record<string, number>> = {},
): CertificateTerm[] {
  return nodes
    .filter((node) => node.role === 'controlplane')
    .flatMap(({ name, ip }) => {
      const notAfter = servingUntil[ip];
      const renew = `Talos renews it by itself in time; if it did not: \`oxherd restart ${name}\``;
      return notAfter === undefined ? [] : [{ name: `API server of ${name}`, notAfter, renew }];
    });
}

/** API servers that answer and show no certificate that could be read */
export function unreadServing(
  cluster: Pick<ObservedKubernetes, 'endpoints' | 'servingUntil'> | undefined,
): Condition[] {
  return Object.entries(cluster?.endpoints ?? {})
    .filter(([endpoint, ready]) => ready && cluster?.servingUntil[endpoint] === undefined)
    .map(([endpoint]) => ({
      layer: 'certificates',
      name: 'certificate-valid',
      subject: `API server at ${endpoint}`,
      state: 'unknown',
      message: 'its certificate could not be read',
    }));
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
