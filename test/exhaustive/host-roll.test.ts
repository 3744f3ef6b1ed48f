/** All hosts of a lab patched one after the other, under the watcher: budgets, a storage that rebuilds, CSI volumes in use. */
import { expect, it } from 'vitest';
import { ended } from '../support/cli.js';
import { type Disks, RackOfHosts, rebuildingStorage } from '../support/host-roll.js';
import { expectNothingToDo } from '../support/rolling.js';
import { keptData, runningKubernetes, watching } from '../support/watcher.js';

const RACKS: readonly (readonly [number, Disks])[] = [
  [3, 'local'],
  [3, 'shared'],
  [5, 'local'],
  [5, 'shared'],
];

it.each(RACKS)(
  '%d hosts with %s disks: no quorum, budget, content or answer is lost',
  async (hosts, disks) => {
    const rack = await RackOfHosts.build(hosts, disks);
    const site = await rack.copy();
    try {
      const before = keptData(site.lab);
      expect(before).toContain('pv-data of its pod');
      const storage = rebuildingStorage(site);
      const begin = site.lab.clock.now();
      const { result, report } = await site.watch(['host', 'roll', ...rack.names, '--yes'], {
        away: disks === 'shared' ? 0 : 1,
      });
      storage.stop();
      ended(result);
      expect([...report.violations, ...storage.violations]).toEqual([]);
      expect(keptData(site.lab)).toEqual(before);
      if (disks === 'shared') expect(report.went).toEqual([]);
      else expect(report.went.length).toBeGreaterThan(0);
      await expectNothingToDo(site);
      expect(ended(await site.run('status'))).toContain('Healthy');
      const minutes = Math.round((site.lab.clock.now() - begin) / 60_000);
      console.log(`${hosts} hosts, ${disks}: ${report.samples} samples in ${minutes} lab minutes`);
    } finally {
      await rack.removeCopies();
    }
  },
  300_000,
);

it('whoever does the same without looking is seen by both watchers', async () => {
  const rack = await RackOfHosts.build(3, 'local');
  const site = await rack.copy();
  try {
    const storage = rebuildingStorage(site);
    const vmids = [141, 142, 143, 151, 152, 153];
    const { report } = await watching(
      { lab: site.lab, room: site.room, vmids, vips: ['10.20.30.40'] },
      async () => {
        const { volumes } = site.lab.proxmox.pve.db;
        // A host goes with all it has, the next one while storage rebuilds, and a CSI volume is made again.
        for (const vmid of [141, 151, 153]) site.room.powerOff(vmid);
        await site.lab.clock.sleep(20_000);
        expect(runningKubernetes(site).find('configmaps', 'default', 'storage')).toMatchObject({
          data: { state: 'degraded' },
        });
        for (const vmid of [142, 152]) site.room.powerOff(vmid);
        for (const [key, volume] of [...volumes.entries()])
          if (volume.storage === 'nas') volumes.put(key, { ...volume, data: {} });
        await site.lab.clock.sleep(20_000);
      },
    );
    storage.stop();
    const seen = report.violations.join('\n');
    for (const what of [
      /lost its quorum/,
      /no answer on/,
      /are away together/,
      /budget web wants 2/,
      /the data of pv-data of its pod is gone/,
    ])
      expect(seen).toMatch(what);
    expect([...storage.violations].sort()).toEqual([
      '142 went while storage was degraded',
      '152 went while storage was degraded',
    ]);
  } finally {
    await rack.removeCopies();
  }
});
