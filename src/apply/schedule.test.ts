import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Vmid } from '../model/identity.js';
import type { Impact } from '../plan/plan.js';
import type { Step } from '../plan/steps.js';
import { Schedule } from './schedule.js';

interface Draft {
  readonly id: string;
  readonly needs?: readonly string[];
  readonly impact?: Impact;
  readonly vmid?: number;
  readonly host?: string;
}

function step({ id, needs = [], impact = 'none', vmid = 100, host = 'pve1' }: Draft): Step {
  return {
    kind: 'stop-vm',
    action: 'change',
    id,
    title: id,
    reasons: [],
    needs,
    impact,
    load: { host },
    vmid: vmid as Vmid,
    host,
  };
}

const takeAll = (schedule: Schedule): Step[] => {
  const taken: Step[] = [];
  for (let next = schedule.take(); next; next = schedule.take()) taken.push(next);
  return taken;
};
const ids = (steps: readonly Step[]) => steps.map((taken) => taken.id);

describe('what may start', () => {
  it('what needs nothing, in the order of the plan, one step per VM', () => {
    const schedule = new Schedule(
      [
        step({ id: 'a' }),
        step({ id: 'b' }),
        step({ id: 'c', vmid: 101, needs: ['a'] }),
        step({ id: 'd', vmid: 102 }),
      ],
      { perHost: 8 },
    );
    const first = takeAll(schedule);
    expect(ids(first)).toEqual(['a', 'd']);
    for (const taken of first) schedule.finish(taken, 'done');
    expect(ids(takeAll(schedule))).toEqual(['b', 'c']);
  });

  it('a start does not wait for its turn until disks of others are made', () => {
    const disk = (id: string, vmid: number) => ({
      ...step({ id, vmid }),
      load: { host: 'pve1', storage: 'zfs' },
    });
    const steps = [disk('a', 101), disk('b', 102), disk('c', 103), step({ id: 'd', vmid: 104 })];
    expect(ids(takeAll(new Schedule(steps, { perHost: 2 })))).toEqual(['a', 'b', 'd']);
  });

  it('a failed step stops what needs it, and no other', () => {
    const schedule = new Schedule(
      [step({ id: 'a' }), step({ id: 'b', vmid: 101, needs: ['a'] }), step({ id: 'c', vmid: 102 })],
      { perHost: 1 },
    );
    const [a] = takeAll(schedule);
    if (a) schedule.finish(a, 'failed');
    const [c] = takeAll(schedule);
    if (c) schedule.finish(c, 'done');
    expect(takeAll(schedule)).toEqual([]);
    expect(schedule.result()).toEqual({ done: ['c'], failed: ['a'], notStarted: ['b'] });
  });

  it('one disruption at a time, and none after a failure', () => {
    const steps = ['a', 'b', 'c'].map((id, index) => step({ id, vmid: 100 + index, impact: 'restart' }));
    const schedule = new Schedule(steps, { perHost: 8 });
    const [a, ...others] = takeAll(schedule);
    expect([a?.id, others.length]).toEqual(['a', 0]);
    if (a) schedule.finish(a, 'done');
    const [b] = takeAll(schedule);
    if (b) schedule.finish(b, 'failed');
    expect(takeAll(schedule)).toEqual([]);
    expect(schedule.result().notStarted).toEqual(['c']);
  });

  it('all at once where everything goes, up to the limit of a host', () => {
    const steps = ['a', 'b', 'c'].map((id, index) => step({ id, vmid: 100 + index, impact: 'remove' }));
    const schedule = new Schedule(steps, { perHost: 2, allAtOnce: true });
    const first = takeAll(schedule);
    expect(ids(first)).toEqual(['a', 'b']);
    if (first[0]) schedule.finish(first[0], 'failed');
    expect(ids(takeAll(schedule))).toEqual(['c']);
  });

  it('an interrupted step is to be done yet', () => {
    const schedule = new Schedule([step({ id: 'a' })], { perHost: 1 });
    const [a] = takeAll(schedule);
    if (a) schedule.finish(a, 'interrupted');
    expect(schedule.result()).toEqual({ done: [], failed: [], notStarted: ['a'] });
  });
});

describe('any plan', () => {
  const plans = fc.array(
    fc.record({
      needs: fc.array(fc.nat(30), { maxLength: 3 }),
      vmid: fc.integer({ min: 100, max: 106 }),
      host: fc.constantFrom('pve1', 'pve2'),
      impact: fc.constantFrom<Impact>('none', 'live', 'restart'),
      ends: fc.constantFrom<'done' | 'failed'>('done', 'done', 'done', 'failed'),
    }),
    { maxLength: 30 },
  );

  it('is carried out within its limits, each step once and after its needs', () => {
    fc.assert(
      fc.property(plans, fc.integer({ min: 1, max: 4 }), (drafts, perHost) => {
        const steps = drafts.map(({ needs, vmid, host, impact }, index) =>
          step({
            id: `s${index}`,
            vmid,
            host,
            impact,
            // Only earlier ones: a plan has an order in which it could be carried out one by one.
            needs: [...new Set(needs.filter((need) => need < index).map((need) => `s${need}`))],
          }),
        );
        const schedule = new Schedule(steps, { perHost });
        const running: Step[] = [];
        const done = new Set<string>();
        const failed = new Set<string>();
        for (;;) {
          for (const taken of takeAll(schedule)) {
            expect(taken.needs.every((need) => done.has(need))).toBe(true);
            running.push(taken);
          }
          const perVm = new Set(running.map((taken) => ('vmid' in taken ? taken.vmid : 0)));
          expect(perVm.size).toBe(running.length);
          for (const host of ['pve1', 'pve2'])
            expect(running.filter((taken) => taken.load.host === host).length).toBeLessThanOrEqual(perHost);
          expect(running.filter((taken) => taken.impact === 'restart').length).toBeLessThanOrEqual(1);
          const next = running.shift();
          if (!next) break;
          const end = drafts[Number(next.id.slice(1))]?.ends ?? 'done';
          (end === 'done' ? done : failed).add(next.id);
          schedule.finish(next, end);
        }
        const result = schedule.result();
        expect([...result.done, ...result.failed, ...result.notStarted].sort()).toEqual(
          steps.map((each) => each.id).sort(),
        );
        // What is left needs something that failed, or would disrupt after a failure.
        for (const left of result.notStarted) {
          const each = steps.find((candidate) => candidate.id === left);
          const blocked = each?.needs.some((need) => !done.has(need));
          expect(blocked || (each?.impact === 'restart' && failed.size > 0)).toBe(true);
        }
      }),
    );
  });
});

describe('a run that goes on in the middle of a plan', () => {
  it('starts what is left, whatever order the steps stand in', () => {
    const steps = [
      step({ id: 'b', vmid: 101, needs: ['a'] }),
      step({ id: 'a', vmid: 100 }),
      step({ id: 'c', vmid: 102, needs: ['b'] }),
      step({ id: 'd', vmid: 103, needs: ['c'] }),
    ];
    const schedule = new Schedule(steps, { perHost: 8, done: new Set(['a', 'b']) });
    expect(ids(takeAll(schedule))).toEqual(['c']);
    expect(schedule.result()).toMatchObject({ done: ['b', 'a'], notStarted: ['c', 'd'] });
  });
});
