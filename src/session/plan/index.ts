/** What a front end shows of a plan, and asks of what was gathered. */
export type { UnreadPart } from '../../observe/observed-unread.js';
export type { DiskQuestion } from '../../plan/adopt/match-disks.js';
export { type Failover, failoverWords } from '../../plan/capacity/failover.js';
export { type HostCapacity, wholeGib } from '../../plan/capacity/usage.js';
export { driftOnly, driftWords, hasDrift } from '../../plan/drift/drift.js';
export { type AcceptedSize, acceptedSize } from '../../plan/drives/accepted-size.js';
export { listVolumes, type VolumeRow } from '../../plan/drives/volume-list.js';
export { incompleteText } from '../../plan/facts/incomplete.js';
export type { DrainDecision } from '../../plan/hosts/decide-drain.js';
export type { HostLoss, LostNode } from '../../plan/hosts/host-loss.js';
export { type HostState, hostStates } from '../../plan/hosts/host-states.js';
export { lostCommand } from '../../plan/hosts/loss-problems.js';
export { IMPACTS } from '../../plan/impact.js';
export type { SnapshotFile } from '../../plan/input.js';
export type { RemovedApiFinding } from '../../plan/kubernetes/removed-apis.js';
export { type RunningVersions, runningVersions } from '../../plan/machines/running-versions.js';
export {
  afterHop,
  type UpgradeHop,
  upgradePath,
  type Versions,
  type Via,
} from '../../plan/machines/upgrade-path.js';
export {
  type BlockView,
  blockView,
  type StepSign,
  type StepView,
} from '../../plan/overview/block-view.js';
export {
  groupSteps,
  type PlanBlock,
  singleBlocks,
} from '../../plan/overview/group-steps.js';
export { nodesHeading, shortNames } from '../../plan/overview/node-names.js';
export { describe, fillIn, NodeText, type NodeValues } from '../../plan/overview/node-text.js';
export { planWords } from '../../plan/overview/plan-words.js';
export { totalsOf } from '../../plan/overview/totals.js';
export { type Impact, isDisruptive, type Note, type Plan, type Problem } from '../../plan/plan.js';
export { differingSteps } from '../../plan/plan-id.js';
export { durationWords, estimatedDowntime } from '../../plan/roll/estimated-downtime.js';
export { rollOrderOf } from '../../plan/roll/roll-order.js';
export type { StepAction } from '../../plan/step-actions.js';
export type { Step, StepKind } from '../../plan/steps.js';
export { type Capacity, capacityOf, plannedCapacity } from './capacity.js';
export type { ClusterStatus } from './conditions.js';
export type { PlanRequest, PreparedPlan } from './plan-request.js';
