/** Cut off between first boot and a healthy cluster; every point is in test/exhaustive. */
import { afterAll, describe, expect, it } from 'vitest';
import type { Cut } from '../support/cut-line.js';
import { MachineRehearsal } from '../support/machine-crash.js';
import {
  FIRST_BOOT,
  FIRST_BOOT_WITH_WORKER,
  STAGED_CHANGE,
  TRIED_CHANGE,
} from '../support/machine-scenarios.js';
import type { MachineSite } from '../support/machine-site.js';

describe('a run that is cut off', () => {
  const boot = new MachineRehearsal(FIRST_BOOT);
  const change = new MachineRehearsal(STAGED_CHANGE);
  const tried = new MachineRehearsal(TRIED_CHANGE);
  afterAll(() => {
    boot.dispose();
    change.dispose();
    tried.dispose();
  });

  // The first config, the bootstrap and the wait for etcd; every call is in test/exhaustive.
  it.each<[number, Cut]>([[60, 'after']])(
    'between first boot and bootstrap, at call %i (%s), is set right by the next one',
    async (calls, cut) => {
      expect(await boot.cutOff(calls, cut)).toMatchObject({ cut: true, problems: [] });
    },
  );

  it('while a config is tried on a node is set right by the next one, right after it', async () => {
    expect(await tried.cutAfterWrite(1)).toMatchObject({ cut: true, problems: [] });
  });

  it('while a staged config is rolled is set right by the next one', async () => {
    expect(await change.cutOff(46, 'after')).toMatchObject({ cut: true, problems: [] });
  });
});

describe('a machine that never comes up', () => {
  const rehearsal = new MachineRehearsal(FIRST_BOOT_WITH_WORKER);
  afterAll(() => rehearsal.dispose());

  async function withStuck(vmid: number, check: (site: MachineSite) => Promise<void>): Promise<void> {
    const fault = { name: 'machine-stuck', subject: String(vmid), countdown: null } as const;
    await rehearsal.inCopy(
      async (site) => {
        await check(site);
        // Solved as the advice says: whatever it was is mended; apply starts the VM anew.
        site.lab.core.faults.clear('machine-stuck');
        await site.byHand((client) => client.runTask(() => client.stopVm('pve1', vmid)));
        expect((await site.apply()).result.outcome).toBe('done');
        expect((await site.plan()).steps).toEqual([]);
        expect(site.problems()).toEqual([]);
      },
      { faults: [fault] },
    );
  }

  it('ends with advice about its console, and the rest becomes a cluster', async () => {
    await withStuck(151, async (site) => {
      const { result, events } = await site.apply();
      expect(result.failed).toEqual(['configure-machine:work-1']);
      const failure = events.find((event) => event.type === 'step-failed');
      expect(failure).toMatchObject({
        error: { code: 'apply.machine-absent', advice: expect.stringContaining('VM 151 → Console') },
      });
      expect(result.done).toEqual(
        expect.arrayContaining(['bootstrap:etcd', 'await-machine:cp-1', 'await-machine:cp-2']),
      );
      expect(result.notStarted).toEqual(['await-machine:work-1']);
      expect(site.problems()).toEqual([]);
    });
  });

  it('keeps etcd from being bootstrapped while it is a control plane', async () => {
    await withStuck(142, async (site) => {
      const { result } = await site.apply();
      expect(result.failed).toEqual(['configure-machine:cp-2']);
      expect(result.notStarted).toContain('bootstrap:etcd');
      expect(result.done).toEqual(
        expect.arrayContaining(['configure-machine:cp-1', 'configure-machine:work-1']),
      );
      expect(site.talos.etcd.size).toBe(0);
    });
  });
});
