/**
 * Room `health`: from what was observed to conditions.
 * May touch: values alone: no file, no network, no clock.
 *
 * All conditions of a cluster, in the order in which a person would look.
 */
import type { GateConfig } from '../config/policy-config.js';
import type { Design } from '../design/design.js';
import type { KubernetesDesign } from '../design/kubernetes/kubernetes-design.js';
import type { Observed } from '../observe/observed.js';
import { backupConditions } from './backups.js';
import { type CertificateTerm, certificateConditions, servingTerms, unreadServing } from './certificates.js';
import { clusterStorageConditions } from './cluster-storage.js';
import { type Condition, LAYERS } from './condition.js';
import { csiDriverConditions } from './csi-driver.js';
import { type DrainedNodes, sayDrained, withoutDrained } from './drained.js';
import { etcdConditions } from './etcd.js';
import { foreignDiskConditions } from './foreign-disks.js';
import { gateConditions } from './gates.js';
import { kubernetesConditions } from './kubernetes.js';
import { machineConditions, type WantedConfigs } from './machines.js';
import { mixedVersionConditions } from './mixed-versions.js';
import { proxmoxConditions } from './proxmox.js';

interface HealthInput {
  readonly design: Design;
  readonly observed: Observed;
  readonly wantedConfigs: WantedConfigs;
  readonly certificates: readonly CertificateTerm[];
  readonly kubernetes: KubernetesDesign;
  readonly gates: readonly GateConfig[];
  /** Volumes that are in no VM's backup although no drive of theirs says so. */
  readonly withoutBackup?: readonly string[];
  /** Nodes that are off while their host is in maintenance. */
  readonly drained?: DrainedNodes;
  /** By the clock of Proxmox, where that is another one. */
  readonly backupNow?: number;
  /** By the wall: certificates know no other time. */
  readonly now: number;
}

export function assess(input: HealthInput): Condition[] {
  const { design, wantedConfigs, certificates, now, drained = new Map() } = input;
  const observed = withoutDrained(input.observed, drained);
  const cluster = observed.kubernetes;
  const clusterNow = cluster?.now.known ? cluster.now.value : now;
  const conditions = [
    ...proxmoxConditions(design, observed),
    ...machineConditions(design, observed, wantedConfigs),
    ...etcdConditions(design, observed, drained),
    ...foreignDiskConditions(design, observed),
    ...backupConditions(design, observed, input.withoutBackup ?? [], input.backupNow ?? now),
    ...csiDriverConditions(input.kubernetes, cluster),
    ...clusterStorageConditions(design, cluster, clusterNow),
    ...kubernetesConditions({
      design,
      kubernetes: input.kubernetes,
      observed: cluster,
      now: clusterNow,
    }),
    ...mixedVersionConditions(design, input.kubernetes, observed),
    ...gateConditions(input.gates, cluster),
    ...certificateConditions([...certificates, ...servingTerms(design, cluster?.servingUntil)], now),
    ...unreadServing(cluster),
  ];
  const said = sayDrained(conditions, design, drained);
  return LAYERS.flatMap((layer) => said.filter((condition) => condition.layer === layer));
}
