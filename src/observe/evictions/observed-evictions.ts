import type { Node, PersistentVolume, Pod } from 'kubernetes-types/core/v1.js';
import type { PodDisruptionBudget } from 'kubernetes-types/policy/v1.js';

/** What tells whether pods can leave their nodes. */
export interface EvictionFacts {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly budgets: readonly PodDisruptionBudget[];
  readonly volumes: readonly PersistentVolume[];
  /** `namespace/claim` → volume. */
  readonly claims: Readonly<Record<string, string>>;
}
