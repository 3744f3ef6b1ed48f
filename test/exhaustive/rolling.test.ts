/** One edit and one apply each: every node goes away and comes back, and nobody who uses the cluster notices. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ClusterSite } from '../support/cluster-site.js';
import { NODES, VIP } from '../support/herd.js';
import {
  CONTROL_PLANES,
  expectEachOnce,
  expectNothingToDo,
  RunningHerd,
  WORKERS,
} from '../support/rolling.js';
import { watching } from '../support/watcher.js';

const HOOK_MS = 300_000;
let herd: RunningHerd;
beforeAll(async () => {
  herd = await RunningHerd.build();
}, HOOK_MS);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

const running = (site: ClusterSite) =>
  new Set([...site.room.machines()].map((machine) => machine.record.system?.version));

describe('a cluster of 3 + 3 with a budget on its pods', () => {
  it('gets another Talos', async () => {
    const { site, report } = await herd.rolls({ talos: 'v1.14.1' });
    expectEachOnce(report);
    expect(running(site)).toEqual(new Set(['v1.14.1']));
  });

  it('gets Kubernetes two minors on, without a node away', async () => {
    const { site, report } = await herd.rolls({ kubernetes: 'v1.36.0' });
    expect(report.went).toEqual([]);
    for (const machine of site.room.machines()) expect(machine.facts?.kubelet.image).toContain(':v1.36.0');
  });

  it('gets more memory on every node', async () => {
    const { site, report } = await herd.rolls({ memory: '6GiB' });
    expectEachOnce(report);
    for (const vmid of [...CONTROL_PLANES, ...WORKERS])
      expect(site.room.machine(vmid)?.hardware.memory).toBe(6 * 1024 ** 3);
  });

  it('stops where a machine boots its old Talos again, and goes on when it does not any more', async () => {
    const site = await herd.copy();
    site.lab.core.faults.set({ name: 'machine-falls-back', subject: '151', countdown: null });
    site.config = herd.with({ talos: 'v1.14.1' });
    const { result, report } = await site.watch(['apply', '--yes']);
    expect(result.exit).toBe(1);
    expect(result.stdout).toContain('work-1 booted v1.13.9 again instead of v1.14.1');
    expect(report.violations).toEqual([]);
    expect(report.went.slice(3)).toEqual([151]);
    const left = await site.run('plan', '--full');
    expect(left.stdout).toContain('upgrade Talos on work-1');
    expect(left.stdout).not.toContain('upgrade Talos on cp-1');

    site.lab.core.faults.clear('machine-falls-back');
    const again = await site.watch(['apply', '--yes']);
    expect(again.result.exit).toBe(0);
    expect(again.report.violations).toEqual([]);
    expect([...new Set(again.report.went)]).toEqual(WORKERS);
    await expectNothingToDo(site);
    expect(running(site)).toEqual(new Set(['v1.14.1']));
  });
});

describe('the watcher', () => {
  it('sees what must never be', async () => {
    const site = await herd.copy();
    const { report } = await watching(
      { lab: site.lab, room: site.room, vmids: NODES, vips: [VIP] },
      async () => {
        for (const vmid of [...CONTROL_PLANES, 152]) site.room.powerOff(vmid);
        const { volumes } = site.lab.proxmox.pve.db;
        for (const [key, volume] of [...volumes.entries()]) if (volume.owner === 1520) volumes.delete(key);
        await site.lab.clock.sleep(11_000);
      },
    );
    expect(report.samples).toBeGreaterThanOrEqual(10);
    expect(report.mostAway).toBe(4);
    expect(report.violations.join('\n')).toMatch(/lost its quorum/);
    expect(report.violations.join('\n')).toMatch(/no answer on 10\.20\.30\.40 for 3 s, 3 s without a holder/);
    expect(report.violations.join('\n')).toMatch(/141, 142.* are away together/);
    expect(report.violations.join('\n')).toMatch(/the data of .* is gone/);
  });

  it('sees a budget that is not kept', async () => {
    const site = await herd.copy();
    const { report } = await watching(
      { lab: site.lab, room: site.room, vmids: NODES, vips: [VIP] },
      async () => {
        for (const vmid of WORKERS) site.room.powerOff(vmid);
        await site.lab.clock.sleep(5_000);
      },
    );
    expect(report.violations.join('\n')).toMatch(/budget web wants 2 pods, and 0 serve/);
  });
});
