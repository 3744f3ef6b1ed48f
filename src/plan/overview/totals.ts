/** What a plan does in numbers: created, changed, restarted, removed, and for how long nodes are unavailable. */
import type { Impact, Plan } from '../plan.js';
import { estimatedDowntime, type Seconds } from '../roll/estimated-downtime.js';
import { offUntilReturn, rollOrderOf } from '../roll/roll-order.js';
import type { Step } from '../steps.js';

export interface PlanTotals {
  readonly steps: number;
  readonly createdVms: number;
  readonly removedVms: number;
  /** Nodes that stay and of which something changes. */
  readonly changed: readonly string[];
  readonly componentRestarts: readonly string[];
  readonly restarted: readonly string[];
  readonly newSystemDisks: readonly string[];
  readonly reset: readonly string[];
  readonly dataLossSteps: number;
  /** Steps of the cluster itself: access, images, objects. */
  readonly clusterSteps: number;
  readonly downtime: Downtime;
}

interface Downtime {
  /** In the order in which they are drained; those of one wave together. */
  readonly waves: readonly (readonly string[])[];
  readonly byNode: ReadonlyMap<string, Seconds | undefined>;
  /** Off until their host is back from maintenance. */
  readonly off: readonly string[];
  /** The waves one after the other, without the time that draining takes. */
  readonly total: Seconds;
  readonly drained: boolean;
  /** Control planes without which there is no Kubernetes API. */
  readonly apiUnavailable: readonly string[];
}

export function totalsOf({ steps }: Pick<Plan, 'steps'>): PlanTotals {
  const created = new Set(nodesOf(steps, (step) => step.kind === 'create-talos-vm'));
  const removed = new Set(nodesOf(steps, (step) => step.impact === 'remove'));
  const withImpact = (...impacts: Impact[]) => nodesOf(steps, (step) => impacts.includes(step.impact));
  return {
    steps: steps.length,
    createdVms: steps.filter(createsVm).length,
    removedVms: steps.filter(removesVm).length,
    changed: nodesOf(steps, (step) => step.action !== 'wait').filter(
      (node) => !created.has(node) && !removed.has(node),
    ),
    componentRestarts: withImpact('component'),
    restarted: withImpact('restart'),
    newSystemDisks: withImpact('replace'),
    reset: withImpact('reset'),
    dataLossSteps: steps.filter((step) => step.impact === 'data-loss').length,
    clusterSteps: steps.filter((step) => step.node === undefined && step.action !== 'wait').length,
    downtime: downtimeOf(steps),
  };
}

function downtimeOf(steps: readonly Step[]): Downtime {
  const waves = rollOrderOf(steps);
  const byNode = new Map(waves.flat().map((node) => [node, estimatedDowntime(steps, node)]));
  const total = waves.reduce(
    (sum, wave) => {
      const times = wave.flatMap((node) => byNode.get(node) ?? []);
      return {
        least: sum.least + Math.max(0, ...times.map((time) => time.least)),
        most: sum.most + Math.max(0, ...times.map((time) => time.most)),
      };
    },
    { least: 0, most: 0 },
  );
  const begins = steps.filter((step) => step.kind === 'begin-disruption');
  return {
    waves,
    byNode,
    off: offUntilReturn(steps),
    total,
    // On a single node nothing could move anywhere.
    drained: begins.some((step) => step.drain !== undefined),
    apiUnavailable: begins.flatMap((step) => (step.outage && step.node !== undefined ? [step.node] : [])),
  };
}

function createsVm(step: Step): boolean {
  return step.kind === 'create-talos-vm' || step.kind === 'create-data-vm';
}

function removesVm(step: Step): boolean {
  return step.kind === 'destroy-talos-vm' || step.kind === 'destroy-data-vm';
}

function nodesOf(steps: readonly Step[], takes: (step: Step) => boolean): string[] {
  return [...new Set(steps.flatMap((step) => (step.node !== undefined && takes(step) ? [step.node] : [])))];
}
