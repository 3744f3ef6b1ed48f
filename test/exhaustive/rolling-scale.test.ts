/** Control planes come and go, and what etcd holds stays. */
import { afterEach, describe, expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { ClusterSite } from '../support/cluster-site.js';
import { herd } from '../support/herd.js';
import { changes, expectNothingToDo } from '../support/rolling.js';

let site: ClusterSite;
afterEach(() => site.remove());

/** The one etcd cluster there is. */
function etcd() {
  const [only, ...more] = site.etcd;
  expect(more).toEqual([]);
  if (!only) throw new Error('there is no etcd');
  return only;
}
const names = () =>
  etcd()
    .members.map((member) => member.name)
    .sort();

describe('control planes', () => {
  it('grow from 1 to 3 to 5, shrink to 3, and come back from nothing with the same data', async () => {
    site = await ClusterSite.open(herd({ controlPlanes: 1, workers: 2 }));
    ended(await site.run('apply', '--yes'));
    const { id } = etcd();
    for (const controlPlanes of [3, 5, 3]) {
      await changes(site, herd({ controlPlanes, workers: 2 }));
      expect(names()).toEqual(Array.from({ length: controlPlanes }, (_, index) => `cp-${index + 1}`));
      expect(etcd().members.every((member) => !member.learner)).toBe(true);
      expect(etcd().id).toBe(id);
    }
    await changes(site, herd({ controlPlanes: 3, workers: 1 }));
    expect([...site.room.machines()].map((machine) => machine.vmid).sort()).toEqual([141, 142, 143, 151]);

    // A control plane whose VM is gone, and whose data is not, returns as the member it was.
    const before = etcd();
    await site.byHand(async (hand) => {
      await hand.runTask(() => hand.stopVm('pve2', 142));
      await hand.runTask(() => hand.destroyVm('pve2', 142));
    });
    ended(await site.run('apply', '--yes'));
    expect(etcd().members).toEqual(before.members);
    await expectNothingToDo(site);

    ended(await site.run('destroy', '--yes'));
    expect([...site.room.machines()]).toEqual([]);
    ended(await site.run('apply', '--yes'));
    const after = etcd();
    expect({ id: after.id, members: after.members }).toEqual({ id, members: before.members });
    expect(after.revision).toBeGreaterThanOrEqual(before.revision);
    await expectNothingToDo(site);
  });
});
