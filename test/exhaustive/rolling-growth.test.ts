/** Larger disks: the guests see them at once, their file systems grow when each node is rebooted in its turn. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterSite } from '../support/cluster-site.js';
import { expectEachOnce, expectNothingToDo, RunningHerd, WORKERS } from '../support/rolling.js';

const GIB = 1024 ** 3;
const SLACK = 32 * 1024 ** 2;
const HOOK_MS = 300_000;
let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build({ volumes: { scratch: '1GiB', cache: '1GiB' } });
}, HOOK_MS);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

/** What each machine says of a volume, in whole GiB. */
function sizes(site: ClusterSite, id: string): number[] {
  return [...site.room.machines()].flatMap((machine) =>
    machine.record.volumes
      .filter((volume) => volume.id === id)
      .map((volume) => Math.ceil(((volume.size ?? 0) - SLACK) / GIB)),
  );
}

describe('disks that grow', () => {
  it('take one reboot per node, however many of its volumes grow', async () => {
    const { site, report } = await herd.rolls({
      disk: '8GiB',
      volumes: { scratch: '2GiB', cache: '3GiB' },
    });
    expectEachOnce(report);
    expect(sizes(site, 'EPHEMERAL')).toEqual([8, 8, 8, 8, 8, 8]);
    expect(sizes(site, 'u-scratch')).toEqual([2, 2, 2]);
    expect(sizes(site, 'u-cache')).toEqual([3, 3, 3]);
  });

  it('take no reboot of their own where a node is restarted anyway', async () => {
    const { site, report } = await herd.rolls({ disk: '8GiB', memory: '6GiB' });
    expectEachOnce(report);
    expect(sizes(site, 'EPHEMERAL')).toEqual([8, 8, 8, 8, 8, 8]);
  });

  it('are finished by the next run where one stopped between the disk and its file system', async () => {
    const site = await herd.copy();
    site.config = herd.with({ volumes: { scratch: '2GiB', cache: '1GiB' } });
    site.lab.core.faults.set({ name: 'drain-held', subject: '', countdown: null });
    const first = await site.run('apply', '--yes');
    expect(first.exit).toBe(1);
    expect(sizes(site, 'u-scratch')).toEqual([1, 1, 1]);

    site.lab.core.faults.clear('drain-held');
    const { result, report } = await site.watch(['apply', '--yes']);
    expect(result.exit).toBe(0);
    expect(report.violations).toEqual([]);
    expect(report.went).toEqual(WORKERS);
    expect(sizes(site, 'u-scratch')).toEqual([2, 2, 2]);
    await expectNothingToDo(site);
  });
});
