/** Bugs that are planted in the planner are found by a rehearsal, with faults and without; the planner as it is breaks nothing. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Plan } from '../../../src/plan/plan.js';
import type { Step } from '../../../src/plan/steps.js';
import { chaos } from '../../../src/session/rehearse/chaos/chaos.js';
import type { Rehearsal } from '../../../src/session/rehearse/rehearsal.js';
import { rehearseOn } from '../../../src/session/rehearse/rehearse.js';
import type { ClusterSite } from '../../support/cluster-site.js';
import { onTwinOf } from '../../support/rehearsals.js';
import { RunningHerd } from '../../support/rolling.js';
import { runningKubernetes } from '../../support/watcher.js';

/** A wrong planner: wrong for the cluster and for its twin, as a bug would be. */
let plant: (step: Step) => Step = (step) => step;
vi.mock('../../../src/plan/plan-cluster.js', async (original) => {
  const real = await original<typeof import('../../../src/plan/plan-cluster.js')>();
  const planCluster = (...args: Parameters<typeof real.planCluster>): Plan => {
    const plan = real.planCluster(...args);
    return { ...plan, steps: plan.steps.map((step) => plant(step)) };
  };
  return { ...real, planCluster };
});
/** A run that takes no snapshots of etcd. */
let snapshots = true;
vi.mock('../../../src/session/snapshots/snapshots.js', async (original) => {
  const real = await original<typeof import('../../../src/session/snapshots/snapshots.js')>();
  const snapshotsOf = (...args: Parameters<typeof real.snapshotsOf>) => {
    const own = real.snapshotsOf(...args);
    return snapshots ? own : { ...own, ensureFresh: async () => {} };
  };
  return { ...real, snapshotsOf };
});

const CONVERGE = { kind: 'converge' } as const;
const CASES = 2;
const GATE = `policy: { gates: { storage: { resource: configmaps, namespace: default, object: storage, expression: 'object.data.state == "healthy"', timeout: 2m } } }`;

let herd: RunningHerd;
beforeAll(async () => {
  // One of two workers has two of the three pods.
  herd = await RunningHerd.build({ workers: 2 });
}, 300_000);
afterEach(async () => {
  plant = (step) => step;
  snapshots = true;
  await herd.removeCopies();
});
afterAll(() => herd.remove());

async function changed(more = ''): Promise<ClusterSite> {
  const site = await herd.copy();
  site.config = herd.with({ memory: '5GiB', more });
  return site;
}

async function withoutVolumes(): Promise<ClusterSite> {
  const site = await herd.copy();
  site.config = herd.with({ volumes: {} });
  return site;
}

async function upgraded(): Promise<ClusterSite> {
  const site = await herd.copy();
  site.config = herd.with({ talos: 'v1.14.1' });
  return site;
}

/** A gate that is closed, and stays so. */
async function closed(): Promise<ClusterSite> {
  const site = await changed(GATE);
  const body = { metadata: { name: 'storage' }, data: { state: 'degraded' } };
  runningKubernetes(site).create('configmaps', 'default', body, 'kubectl');
  return site;
}

function rehearsed(site: ClusterSite): Promise<Rehearsal> {
  return onTwinOf(site, (opened) => rehearseOn(opened, opened.session.config, CONVERGE));
}

async function unsafeIn(site: ClusterSite): Promise<string[]> {
  const { tried } = await onTwinOf(site, (opened) =>
    chaos(opened.keep(), CONVERGE, {
      env: {},
      // Of the steps that take a worker away, which is where all three bugs show.
      choose: (ids) => ids.slice(-CASES),
    }),
  );
  expect(tried).toHaveLength(CASES);
  return tried.flatMap(({ verdict, why = '' }) => (verdict === 'UNSAFE' ? [why] : []));
}

const PLANTED: readonly [string, (step: Step) => Step, () => Promise<ClusterSite>, RegExp][] = [
  [
    'drains nothing',
    (step) => {
      if (step.kind !== 'begin-disruption' || step.role !== 'worker') return step;
      const { drain: _, ...rest } = step;
      return rest;
    },
    changed,
    /PodDisruptionBudget default\/web wants 2 pods/,
  ],
  [
    'lets nodes go without waiting for each other',
    (step) =>
      step.kind === 'begin-disruption'
        ? { ...step, maxAway: 9, needs: step.needs.filter((need) => !need.startsWith('end-disruption')) }
        : step,
    changed,
    /were unavailable at the same time|etcd has lost its quorum/,
  ],
  [
    'skips gates',
    (step) =>
      step.kind === 'begin-disruption' || step.kind === 'end-disruption' ? { ...step, gates: [] } : step,
    closed,
    /was disrupted although gate storage was closed/,
  ],
  [
    'takes control planes for workers, two at once',
    (step) =>
      step.kind === 'begin-disruption' && step.role === 'controlplane'
        ? {
            ...step,
            role: 'worker',
            maxAway: 9,
            needs: step.needs.filter((need) => !need.startsWith('end-disruption')),
          }
        : step,
    changed,
    /14\d, 14\d.* were unavailable at the same time|etcd has lost its quorum/,
  ],
  [
    'detaches a volume before the machine is done with it',
    (step) => (step.kind === 'detach-drive' ? { ...step, needs: [] } : step),
    withoutVolumes,
    /volume u-scratch of VM 15\d was detached while in use/,
  ],
  [
    'takes no snapshot before an upgrade',
    (step) => {
      snapshots = false;
      return step;
    },
    upgraded,
    /VM 14\d went down without a recent snapshot of etcd/,
  ],
];

describe('a rehearsal', () => {
  it('breaks nothing with the planner as it is, and stops where a gate is closed', async () => {
    expect(await rehearsed(await changed())).toMatchObject({ outcome: 'done', broken: [], left: [] });
    expect(await rehearsed(await closed())).toMatchObject({ outcome: 'failed', broken: [] });
  });

  it.each(PLANTED)('finds a planner that %s', async (_, bug, site, broken) => {
    plant = bug;
    const found = await rehearsed(await site());
    expect(found.broken.join('; ')).toMatch(broken);
    expect((await unsafeIn(await site())).join('; ')).toMatch(broken);
  });
});
