/**
 * Whatever part of a cluster is not read: a plan names it, and has no step that it would not have with everything read.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requireConfig } from '../../src/cli/require-config.js';
import type { Plan } from '../../src/plan/plan.js';
import { withSite } from '../../src/session/connect/site.js';
import { look, planOf, type Situation } from '../../src/session/plan/prepare-plan.js';
import { testContext } from '../support/cli/context.js';
import { ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { smallFile } from '../support/small-file.js';
import { unreadOneByOne } from '../support/unread-parts.js';

const MARKS = ', labels: { node-role.kubernetes.io/worker: "" }, taints: [{ key: gpu, effect: NoSchedule }]';
const FILE = (change: { worker?: string; size?: string; more?: string } = {}) =>
  smallFile({
    worker: change.worker ?? MARKS,
    volumes: [
      'data: { type: disk, size: 2GiB }',
      `pv: { type: proxmox-csi, size: ${change.size ?? '1GiB'}, host: pve1 }`,
    ],
    more:
      change.more ??
      `kubernetes:
  cilium: { version: v1.20.2 }
  gatewayApi: true
  sealedSecrets: true
  csi: true
  loadBalancer: { pool: 10.20.30.200-10.20.30.220 }
policy: { outage: allow }
`,
  });

let site: ClusterSite;
beforeAll(async () => {
  site = await ClusterSite.open(FILE());
  ended(await site.run('apply', '--yes'));
}, 300_000);
afterAll(() => site.remove());

async function wrongIn(file: string): Promise<string[]> {
  site.config = file;
  const { context } = testContext(site.folder.path, { lab: true });
  return withSite({ ...context, target: site.target }, requireConfig(context), async (connected) => {
    const full = await look(connected, { machines: true });
    const plan = async (situation: Situation): Promise<Plan> => (await planOf(connected, situation)).plan;
    const wanted = new Set((await plan(full)).steps.map(text));
    const wrong: string[] = [];
    for (const { part, observed } of unreadOneByOne(full.observed)) {
      const kubernetes = await connected.machines.cluster.design(full.design, observed);
      const { steps, incomplete, problems } = await plan({ design: full.design, observed, kubernetes });
      const more = steps.map(text).filter((step) => !wanted.has(step));
      if (more.length > 0) wrong.push(`${part}: ${more.join('; ')}`);
      if (incomplete.length === 0 && problems.length === 0) wrong.push(`${part}: not named`);
    }
    return wrong;
  });
}

function text({ kind, title }: Plan['steps'][number]): string {
  return `${kind} ${title}`;
}

it('that was not read is named, and adds no step', async () => {
  // Labels, taints and a volume that differ, and add-ons that leave: planners of all kinds have something to do.
  const more = 'kubernetes: { csi: true }\npolicy: { outage: allow }\n';
  expect(await wrongIn(FILE({ worker: '', size: '2GiB', more }))).toEqual([]);
});

it('that was not read is not "No changes"', async () => {
  // The disk is larger than oxherd.yaml says: without its size the PersistentVolume would shrink.
  expect(await wrongIn(FILE({ size: '512MiB' }))).toEqual([]);
});

it.each([
  'GET /nodes/pve2/qemu',
  'GET /nodes/pve1/storage/local-zfs/content',
  'GET /access/users',
  'GET /access/permissions',
])('%s fails: nothing is planned or done, and nothing is "No changes" or Healthy', async (request) => {
  site.config = FILE({ size: '512MiB' });
  site.lab.core.faults.set({ name: 'api-error', subject: request, countdown: null });
  const plan = await site.run('plan', '--exit-code', '--json');
  const apply = await site.run('apply', '--yes');
  const status = await site.run('status');
  site.lab.core.faults.clear('api-error');
  const { steps, incomplete } = JSON.parse(plan.stdout);
  expect(steps).toEqual([]);
  expect(incomplete).not.toEqual([]);
  expect([plan.exit, apply.exit, status.exit]).not.toContain(0);
  expect(apply.stdout).not.toMatch(/No changes\.|Done/);
  expect(status.stdout).not.toContain('Healthy:');
});
