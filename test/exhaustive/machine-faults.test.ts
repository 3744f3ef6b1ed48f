/** From nothing to a cluster, with each fault of machines at each occasion; test/exhaustive/crash.test.ts has the VMs. */
import { afterAll, describe, expect, it } from 'vitest';
import type { FaultName } from '../../src/lab/faults.js';
import { sweep } from '../support/fault-sweep.js';
import { expectNothingWrong } from '../support/fault-sweep-test.js';
import { MachineRehearsal } from '../support/machine-crash.js';
import { FIRST_BOOT } from '../support/machine-scenarios.js';
import { RunningHerd } from '../support/rolling.js';

const OF_MACHINES: readonly FaultName[] = [
  'download-fails',
  'machine-stuck',
  'etcd-slow',
  'vip-lost',
  'time-skew',
];

describe('a first run that meets a fault of machines', () => {
  const herd = RunningHerd.unbuilt({ controlPlanes: 2, workers: 1 });
  afterAll(() => herd.remove());

  it('ends or stops with true words, and is finished by the next run', async () => {
    const result = await sweep(
      herd,
      {},
      {
        choose: (all) => all.filter(({ fault }) => OF_MACHINES.includes(fault)),
        limits: { quorum: false, away: Number.POSITIVE_INFINITY, handOverSeconds: Number.POSITIVE_INFINITY },
      },
    );
    expectNothingWrong('first boot', result, 10);
  });
});

describe('an etcd member that does not catch up', () => {
  const rehearsal = new MachineRehearsal(FIRST_BOOT);
  afterAll(() => rehearsal.dispose());

  it('is named with what it last wrote; it joins once it can', async () => {
    const fault = { name: 'etcd-slow', subject: 'cp-2', countdown: null } as const;
    await rehearsal.inCopy(
      async (site) => {
        const { result, events } = await site.apply();
        expect(result.failed).toEqual(['await-machine:cp-2']);
        const failure = events.find((event) => event.type === 'step-failed');
        expect(failure?.error).toMatchObject({
          code: 'apply.not-ready',
          message: expect.stringMatching(/^cp-2 is not ready: .*learner[\s\S]*etcd last wrote:\n {2}/),
        });
        site.lab.core.faults.clear('etcd-slow');
        expect((await site.apply()).result.failed).toEqual([]);
        await site.lab.clock.sleep(600_000);
        expect(site.problems()).toEqual([]);
      },
      { faults: [fault] },
    );
  });
});
