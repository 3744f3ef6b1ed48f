/**
 * oxherd as a library: the stages from a file to a running cluster. Config, design, plan, health and exports are pure;
 * observing and applying take clients (`oxherd/proxmox`, `oxherd/talos`). See docs/architecture.md.
 */
export { type InterlockScope, interlock } from './apply/interlock.js';
export type { Holder } from './apply/lock/holder.js';
export { type AcquireOptions, acquireLock, type ClusterLock, readLock, unlock } from './apply/lock/lock.js';
export { lockPools } from './apply/lock/pools.js';
export { type RunOptions, runPlan } from './apply/run.js';
export type * from './config/config.js';
export type * from './config/config-values.js';
export { type Diagnostic, formatDiagnostic, type Severity } from './config/diagnostics.js';
export { removeKey, replaceScalar, setKey } from './config/edit/edit.js';
export type * from './config/kubernetes-config.js';
export { type LoadInput, type LoadResult, loadConfig } from './config/load.js';
export type * from './config/policy-config.js';
export { configJsonSchema } from './config/reference/json-schema.js';
export type * from './config/volume-config.js';
export type * from './design/design.js';
export { type DesignHints, design } from './design/design-cluster.js';
export {
  type MachineConfig,
  MachineConfigWriter,
  machineConfig,
} from './design/machine-config/machine-config.js';
export { mermaid } from './export/mermaid.js';
export { type Picture, pictureOf } from './export/picture/picture.js';
export { planMermaid } from './export/plan-graph.js';
export { type QmConfig, qmConfigs } from './export/qm.js';
export { svg } from './export/svg.js';
export { assess, type HealthInput } from './health/assess.js';
export { type Condition, isHealthy, type Layer } from './health/condition.js';
export { OxherdError } from './model/error.js';
export type { RunEvent, RunResult } from './model/events.js';
export { observe } from './observe/observe.js';
export { observeMachines } from './observe/observe-machines.js';
export type * from './observe/observed.js';
export type * from './observe/observed-machines.js';
export { type Impact, isDisruptive, type Note, type Plan, type Problem } from './plan/plan.js';
export { type PlanOptions, planCluster } from './plan/plan-cluster.js';
export { planDestroy } from './plan/plan-destroy.js';
export { parsePlan } from './plan/saved-plan.js';
export type { Step, StepKind } from './plan/steps.js';
