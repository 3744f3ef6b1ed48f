/** An upgrade of Kubernetes that a flag of oxherd.yaml stops: one node at most is broken, and two ways lead out. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CliFolder, ended } from '../../support/cli.js';
import { ClusterSite } from '../../support/cluster-site.js';
import type { Herd } from '../../support/herd.js';
import { expectNothingToDo, RunningHerd } from '../../support/rolling.js';
import { tier } from '../../support/shard.js';

/** In `npm test` a kubelet, on a small cluster. */
const WHOLE = tier() !== 'test';

const SIZE = WHOLE ? { workers: 2 } : { controlPlanes: 1, workers: 1 };

const BEFORE = 'v1.36.0';
const AFTER = 'v1.37.0';

/** Arguments that v1.36 accepts and v1.37 does not (see src/lab/talos/services/component-flags-by-version.ts). */
const FLAGS = {
  'API server': '{ cluster: { apiServer: { extraArgs: { feature-gates: GangScheduling=true } } } }',
  'controller manager':
    '{ cluster: { controllerManager: { extraArgs: { concurrent-service-syncs: "2" } } } }',
  scheduler: '{ cluster: { scheduler: { extraArgs: { feature-gates: SidecarContainers=true } } } }',
  kubelet: '{ machine: { kubelet: { extraArgs: { storage-driver-db: cadvisor } } } }',
} as const;
type Part = keyof typeof FLAGS;

function edit(kubernetes: string, part?: Part): Herd {
  const patch = part && `  patches: { ${part === 'kubelet' ? 'all' : 'controlplane'}: [${FLAGS[part]}] }`;
  return { kubernetes, ...(patch && { schematic: patch }) };
}

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ talos: 'v1.14.1', kubernetes: BEFORE, volumes: {}, ...SIZE });
});
afterAll(() => herd.remove());

/** Nodes with a part that does not start. */
function brokenIn({ room }: ClusterSite): string[] {
  return [...room.machines()]
    .filter((machine) => Object.keys(machine.facts?.failing ?? {}).length > 0)
    .map((machine) => machine.hostname);
}

async function isWell(site: ClusterSite): Promise<void> {
  await expectNothingToDo(site);
  expect(ended(await site.run('status'))).toContain('Healthy');
  expect(brokenIn(site)).toEqual([]);
}

describe.each((Object.keys(FLAGS) as Part[]).filter((part) => WHOLE || part === 'kubelet'))(
  'a flag of the %s that the next version has removed',
  (part) => {
    let site: ClusterSite;
    let failed: CliFolder;
    afterAll(async () => {
      await site.remove();
      failed?.remove();
    });
    /** Talos reverts a static pod; a kubelet stays as it is. */
    const staying = part === 'kubelet' ? ['work-1'] : [];

    it('stops the upgrade at one node, however often it is run', async () => {
      site = await herd.copy();
      site.config = herd.with(edit(AFTER, part));
      for (const round of [1, 2]) {
        const { exit, stdout, stderr } = await site.run('apply', '--yes');
        const told = stdout + stderr;
        expect(exit, told).toBe(1);
        expect(told).toMatch(/unknown flag: --|unrecognized feature gate: /);
        expect(told).toContain(`remove from oxherd.yaml what Kubernetes ${AFTER} does not accept`);
        if (round === 1) expect(told).toContain(`go back with cluster.kubernetes: ${BEFORE}`);
        expect(told).toContain('solve the failure as advised above, then resume with');
        expect(brokenIn(site)).toEqual(staying);
      }
    });

    it('leaves an open step, and status names the node', async () => {
      const plan = await site.run('plan', '--exit-code');
      expect(plan.exit, plan.stdout + plan.stderr).toBe(2);
      expect(plan.stdout).toContain(`${AFTER}: ${part}`);
      const status = await site.run('status');
      expect(status.exit).toBe(3);
      if (part === 'kubelet') {
        expect(status.stdout).toMatch(/work-1 +kubernetes-runs: kubelet: it does not start/);
        expect(status.stdout).toMatch(/work-1 +node-schedulable: it is cordoned by a run of oxherd/);
      }
      failed = await site.close();
    });

    it('is taken back with the version that ran before', async () => {
      site = await ClusterSite.open(herd.with(edit(BEFORE, part)), failed.copy());
      ended(await site.run('apply', '--yes'));
      await isWell(site);
      await site.remove();
    });

    it('is finished without the flag', async () => {
      site = await ClusterSite.open(herd.with(edit(AFTER)), failed.copy());
      ended(await site.run('apply', '--yes'));
      await isWell(site);
    });
  },
);
