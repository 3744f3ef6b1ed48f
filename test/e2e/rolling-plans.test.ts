/** What `plan` says for each kind of change, as its reader sees it. `vitest run -u` writes the texts again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterSite } from '../support/cluster-site.js';
import { GOLDEN_CHANGES, GOLDEN_EDITS } from '../support/golden-changes.js';
import { withoutPlanId } from '../support/plan-text.js';
import { RunningHerd } from '../support/rolling.js';

const HOOK_MS = 300_000;

let herd: RunningHerd;
let site: ClusterSite;
beforeAll(async () => {
  herd = await RunningHerd.build({ workers: 2 });
  site = await herd.copy();
}, HOOK_MS);
afterAll(async () => {
  await herd.removeCopies();
  herd.remove();
});

describe('the plan', () => {
  it.each(Object.entries(GOLDEN_EDITS))('for %s', async (name, edit) => {
    const before = herd.with({});
    site.config = edit(before);
    expect(site.config).not.toBe(before);
    const { stdout, stderr } = await site.run('plan');
    await expect(withoutPlanId(`${stdout}${stderr}`)).toMatchFileSnapshot(`fixtures/plans/${name}.txt`);
  });

  it('for what someone changed by hand', async () => {
    const copy = await herd.copy();
    await copy.byHand(async (hand) => {
      await hand.updateVm('pve1', 151, { set: { memory: 8192 } });
      await hand.updateVm('pve2', 152, { set: { tags: 'oxherd_herd;k8s;worker;mine', onboot: 0 } });
      const { scsi1 = '' } = copy.lab.proxmox.pve.db.vms.get('152')?.config ?? {};
      await hand.updateVm('pve2', 152, { set: { scsi1: scsi1.replace('ssd=1', 'ssd=0') } });
      await hand.runTask(() => hand.stopVm('pve3', 143));
    });
    const { stdout } = await copy.run('plan', '--drift-only');
    await expect(withoutPlanId(stdout)).toMatchFileSnapshot('fixtures/plans/drift.txt');
  });

  it.each(Object.entries(GOLDEN_CHANGES))('for %s', async (name, change) => {
    site.config = herd.with(change);
    const { stdout, stderr } = await site.run('plan');
    await expect(withoutPlanId(`${stdout}${stderr}`)).toMatchFileSnapshot(`fixtures/plans/${name}.txt`);
  });

  it.each([
    ['restart', ['restart', 'work-1']],
    ['replace', ['replace', 'work-1']],
    ['fresh', ['apply', '--fresh', '--only', 'cp-2']],
  ])('of %s', async (name, args) => {
    site.config = herd.with({});
    const { stdout } = await site.run(...args);
    // Members have another id in every lab.
    const text = stdout.replaceAll(/\bmember [0-9a-f]{12,16}\b/g, 'member 8e9e05c52164694d');
    await expect(withoutPlanId(text)).toMatchFileSnapshot(`fixtures/plans/${name}.txt`);
  });
});
