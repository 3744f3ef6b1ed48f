/** `policy.upgrade: replace`: another Talos comes with a new system disk, one node at a time, and the data stays. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { expectEachOnce, RunningHerd } from '../support/rolling.js';

const HOOK_MS = 300_000;
const REPLACE = 'policy: { upgrade: replace }';

let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ more: REPLACE });
}, HOOK_MS);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

it('rolls Talos from v1.13.9 to v1.14.1 and keeps every member and every volume', async () => {
  const before = await herd.copy();
  const members = before.etcd.map((cluster) => cluster.members);
  before.config = herd.with({ talos: 'v1.14.1' });
  const shown = ended(await before.run('plan', '--full'));
  expect(shown).toMatch(/create a new system disk for cp-1 with Talos v1\.14\.1 +replaces the system disk/);
  expect(shown).toMatch(/Talos v1\.13\.9 → v1\.14\.1/);
  expect(shown).not.toMatch(/pull Talos|upgrade Talos/);
  const { site, report } = await herd.rolls({ talos: 'v1.14.1' });
  expectEachOnce(report);
  expect(site.etcd.map((cluster) => cluster.members)).toEqual(members);
  const versions = [...site.room.machines()].map((machine) => machine.record.system?.version);
  expect(new Set(versions)).toEqual(new Set(['v1.14.1']));
});

it('brings Kubernetes to its next version in the same order as ever, in the same apply', async () => {
  const { site, report } = await herd.rolls({ talos: 'v1.14.1', kubernetes: 'v1.35.0' });
  expectEachOnce(report);
  expect(ended(await site.run('status'))).not.toMatch(/v1\.34/);
});

it('refuses to skip a minor, and a node with its data on the system disk', async () => {
  const site = await herd.copy();
  site.config = herd.with({ talos: 'v1.15.0' });
  const far = await site.run('plan');
  expect(`${far.stdout}${far.stderr}`).toMatch(/skips a minor version|v1\.15/);
  site.config = herd.with({}).replace(/work-3: \{ role: worker,/, 'work-3: { role: worker, layout: single,');
  const single = await site.run('validate');
  expect(single.exit).toBe(1);
  expect(`${single.stdout}${single.stderr}`).toMatch(/`work-3` has its data on the system disk/);
});
