/**
 * oxherd as a library: a session from a config to a running cluster, and the texts and pictures that can be made from it.
 * docs/library.md has an example that runs; clients and the lab are `oxherd/proxmox`, `oxherd/talos` and `oxherd/lab`.
 */
export type * from './config/config.js';
export type * from './config/config-values.js';
export { type Diagnostic, formatDiagnostic, type Severity } from './config/diagnostics.js';
export type * from './config/kubernetes-config.js';
export { type LoadInput, type LoadResult, loadConfig } from './config/load.js';
export type * from './config/policy-config.js';
export { configJsonSchema } from './config/reference/json-schema.js';
export type * from './config/volume-config.js';
export type * from './design/design.js';
export { design } from './design/design-cluster.js';
export { mermaid } from './export/mermaid.js';
export { type Picture, pictureOf } from './export/picture/picture.js';
export { planMermaid } from './export/plan-graph.js';
export { type QmConfig, qmConfigs } from './export/qm.js';
export { svg } from './export/svg.js';
export { type Condition, isHealthy, type Layer } from './health/condition.js';
export type { Clock } from './model/clock.js';
export type { TimeAway } from './model/downtime.js';
export { OxherdError } from './model/error.js';
export type { RunEvent, RunResult } from './model/events.js';
export type * from './observe/observed.js';
export type * from './observe/observed-machines.js';
export * from './session/index.js';
export {
  type Capacity,
  type Impact,
  isDisruptive,
  type Note,
  type Plan,
  type PlanRequest,
  type PreparedPlan,
  type Problem,
  type RemovedApiFinding,
  type Step,
  type StepKind,
} from './session/plan/index.js';
