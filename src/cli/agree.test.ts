import { describe, expect, it } from 'vitest';
import { testContext } from '../../test/support/cli/context.js';
import { smallFile } from '../../test/support/small-file.js';
import { configOf } from '../../test/support/vm-site.js';
import { parseVmid, type Vmid } from '../model/identity.js';
import { StepList } from '../plan/step-list.js';
import type { Plan, PreparedPlan } from '../session/plan/index.js';
import { agree } from './agree.js';

function plan({ outage, disrupts = outage }: { outage: boolean; disrupts?: boolean }): Plan {
  const list = new StepList();
  const vmid = parseVmid(141) as Vmid;
  list.add('cp-1', {
    kind: 'begin-disruption',
    node: 'cp-1',
    title: '',
    impact: 'none',
    ip: '10.0.0.1',
    role: 'controlplane',
    vmid,
    controlPlanes: [{ name: 'cp-1', ip: '10.0.0.1' }],
    outage,
    others: [],
    maxAway: 1,
    gates: [],
  });
  if (disrupts) list.add('141', { kind: 'stop-vm', title: '', impact: 'restart', vmid, host: 'pve1' });
  return {
    format: 2,
    planId: '',
    desired: '',
    cluster: { name: 'x', env: '' },
    action: 'apply',
    steps: list.steps,
    problems: [],
    incomplete: [],
    notes: [],
  };
}

/** No one is there to answer: a question is an error, and says what would have been asked. */
const agreed = (outage: 'ask' | 'allow', made: Plan, yes: boolean) =>
  agree(
    testContext('.').context,
    configOf(smallFile({ more: `policy: { outage: ${outage} }\n` })),
    prepared(made),
    {
      yes,
      command: 'oxherd apply',
    },
  );

const prepared = (plan: Plan) =>
  ({ plan, request: { kind: 'converge' }, doubts: [] }) as unknown as PreparedPlan;

describe('what is agreed to', () => {
  it('is an outage by --yes only where the file allows it', async () => {
    expect(await agreed('allow', plan({ outage: true }), true)).toBe(true);
    await expect(agreed('ask', plan({ outage: true }), true)).rejects.toMatchObject({
      code: 'cli.needs-yes',
      message: expect.stringMatching(
        /^The Kubernetes API will be unavailable while cp-1 restarts\. Continue\?/,
      ),
      advice: expect.stringContaining('policy: { outage: allow }'),
    });
  });

  it('is asked once for both, the outage and the plan', async () => {
    await expect(agreed('ask', plan({ outage: true }), false)).rejects.toMatchObject({
      message: expect.stringMatching(/while cp-1 restarts\. Apply this plan\?/),
    });
    await expect(agreed('allow', plan({ outage: true }), false)).rejects.toMatchObject({
      message: expect.stringMatching(/^Apply this plan\?/),
    });
  });

  it('is every plan, also one that interrupts no node', async () => {
    await expect(agreed('ask', plan({ outage: false }), false)).rejects.toMatchObject({
      code: 'cli.needs-yes',
      message: expect.stringMatching(/^Apply this plan\?/),
    });
    expect(await agreed('ask', plan({ outage: false, disrupts: true }), true)).toBe(true);
  });
});
