/** Bugs that are planted in a plan are found by its rehearsal; the plan as it is breaks nothing. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { requireConfig } from '../../../src/cli/require-config.js';
import type { Plan } from '../../../src/plan/plan.js';
import { chaos } from '../../../src/session/rehearse/chaos.js';
import { openTwin, type TwinSession } from '../../../src/session/rehearse/open-twin.js';
import type { Rehearsal } from '../../../src/session/rehearse/rehearsal.js';
import { rehearseOn } from '../../../src/session/rehearse/rehearse.js';
import { openSession, type Session } from '../../../src/session/session.js';
import { testContext } from '../../support/cli/context.js';
import { RunningHerd } from '../../support/rolling.js';
import { chosen, tier } from '../../support/shard.js';

const MORE_MEMORY = { memory: '5GiB' };

let herd: RunningHerd;
beforeAll(async () => {
  // One of two workers has two of the three pods.
  herd = await RunningHerd.build({ workers: 2 });
}, 300_000);
afterEach(() => herd.removeCopies());
afterAll(() => herd.remove());

async function onTwin<T>(work: (opened: TwinSession) => Promise<T>): Promise<T> {
  const site = await herd.copy();
  site.config = herd.with(MORE_MEMORY);
  const { context } = testContext(site.folder.path, { lab: true });
  const loaded = requireConfig(context);
  const session = await openSession(loaded, site.target, { ...context, readOnly: true });
  const observation = await session.observation();
  await session.close();
  const opened = await openTwin(loaded, observation, { env: {} });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

function rehearsed(plant: (plan: Plan) => Plan): Promise<Rehearsal> {
  return onTwin(async ({ session, ...rest }) => {
    let first = true;
    const wrong: Session = {
      ...session,
      async plan(request, options) {
        const prepared = await session.plan(request, options);
        if (!first) return prepared;
        first = false;
        return { ...prepared, plan: plant(prepared.plan) };
      },
    };
    return rehearseOn({ ...rest, session: wrong }, session.config, { kind: 'converge' });
  });
}

describe('a rehearsal', () => {
  it('breaks nothing with the plan as it is', async () => {
    expect(await rehearsed((plan) => plan)).toMatchObject({ outcome: 'done', broken: [], left: [] });
  });

  it('finds a planner that drains nothing', async () => {
    const { broken } = await rehearsed((plan) => ({
      ...plan,
      steps: plan.steps.map((step) => {
        if (step.kind !== 'begin-disruption' || step.role !== 'worker') return step;
        const { drain: _, ...rest } = step;
        return rest;
      }),
    }));
    expect(broken.join()).toContain('PodDisruptionBudget default/web wants 2 pods');
  });

  it('finds nodes that no longer wait for each other', async () => {
    const { broken } = await rehearsed((plan) => ({
      ...plan,
      steps: plan.steps.map((step) =>
        step.kind === 'begin-disruption'
          ? { ...step, maxAway: 9, needs: step.needs.filter((need) => !need.startsWith('end-disruption')) }
          : step,
      ),
    }));
    expect(broken.join()).toMatch(/were unavailable at the same time/);
  });

  // Some 900 cases, an hour and a half: test:full alone.
  it.runIf(tier() === 'full')(
    'with faults says of each case what became of it, and of none that it is unsafe',
    async () => {
      const verdicts = await onTwin(async (opened) => {
        const kept = opened.keep();
        let cases: readonly string[] = [];
        const { tried } = await chaos(
          kept,
          { kind: 'converge' },
          {
            env: {},
            choose: (all) => {
              cases = all;
              return chosen(all, {});
            },
          },
        );
        expect(cases.length).toBeGreaterThan(500);
        return tried;
      });
      expect(verdicts.filter(({ verdict }) => verdict === 'UNSAFE')).toEqual([]);
      expect(verdicts.length).toBeGreaterThan(0);
    },
  );
});
