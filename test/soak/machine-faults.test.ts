/** Waits out the whole patience of a step, which is long in calls even where lab time costs nothing. */
import { afterAll, describe, expect, it } from 'vitest';
import { MachineRehearsal } from '../support/machine-crash.js';
import { FIRST_BOOT } from '../support/machine-scenarios.js';

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
