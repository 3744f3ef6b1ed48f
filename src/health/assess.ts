/** All conditions of a cluster, in the order in which a person would look. */
import type { Design } from '../design/design.js';
import type { Observed } from '../observe/observed.js';
import { type CertificateTerm, certificateConditions } from './certificates.js';
import { type Condition, LAYERS } from './condition.js';
import { etcdConditions } from './etcd.js';
import { machineConditions, type WantedConfigs } from './machines.js';
import { proxmoxConditions } from './proxmox.js';

export interface HealthInput {
  readonly design: Design;
  readonly observed: Observed;
  readonly wantedConfigs: WantedConfigs;
  readonly certificates: readonly CertificateTerm[];
  readonly now: number;
}

export function assess({ design, observed, wantedConfigs, certificates, now }: HealthInput): Condition[] {
  const conditions = [
    ...proxmoxConditions(design, observed),
    ...machineConditions(design, observed, wantedConfigs),
    ...etcdConditions(design, observed),
    ...certificateConditions(certificates, now),
  ];
  return LAYERS.flatMap((layer) => conditions.filter((condition) => condition.layer === layer));
}
