/** What has to be confirmed, by what was requested. */
import { describe, expect, it } from 'vitest';
import { smallFile } from '../../../test/support/small-file.js';
import { configOf } from '../../../test/support/vm-site.js';
import type { PlanRequest, PreparedPlan } from '../plan/index.js';
import { confirmationOf, unconfirmed } from './confirmation.js';

const planned = (request: PlanRequest, steps: readonly object[] = [], more: Partial<PreparedPlan> = {}) =>
  ({ request, plan: { steps }, doubts: [], ...more }) as unknown as PreparedPlan;

const asked = (request: PlanRequest, more: Partial<PreparedPlan> = {}, policy = '') =>
  confirmationOf(planned(request, [], more), configOf(smallFile({ more: policy })));

const begin = (node: string) => ({ kind: 'begin-disruption', node, outage: true, impact: 'none' });

describe('a plan', () => {
  it.each<[PlanRequest, string]>([
    [{ kind: 'converge' }, 'Apply this plan?'],
    [{ kind: 'restart', nodes: ['a', 'b'] }, 'Restart a, b?'],
    [{ kind: 'replace', nodes: ['a'] }, 'Replace the system disk of a?'],
    [{ kind: 'destroy' }, 'Destroy the VMs of small? Data is kept.'],
    [{ kind: 'adopt' }, 'Adopt small?'],
    [{ kind: 'adopt', undo: true }, 'Give the VMs of small back?'],
    [{ kind: 'return-host', host: 'pve2' }, 'Bring the nodes of pve2 back?'],
    [{ kind: 'balance' }, 'Move these nodes?'],
  ])('of %j is confirmed by a yes', (request, question) => {
    expect(asked(request)).toEqual({ question, rehearsal: false });
  });

  it.each<[PlanRequest, string, RegExp]>([
    [{ kind: 'converge', fresh: ['work-1'] }, 'small', /^work-1 would be reset/],
    [{ kind: 'converge', fresh: ['cp-1', 'work-1'] }, 'small', /new, empty cluster/],
    [{ kind: 'destroy', deleteData: true }, 'small', /all data/],
    [{ kind: 'delete-volume', name: 'work-1/old' }, 'work-1/old', /destroyed/],
    [{ kind: 'forget-volume', name: 'work-1/old' }, 'work-1/old', /removed from its VMs/],
    [{ kind: 'lose-host', host: 'pve2' }, 'pve2', /given up for good/],
  ])('of %j is confirmed by a name', (request, name, what) => {
    expect(asked(request).name).toEqual({ name, what: expect.stringMatching(what) });
  });

  it('for a volume in doubt is confirmed by its name, and without a doubt by none', () => {
    const request: PlanRequest = { kind: 'adopt-volume', name: 'work-1/data', volid: 'local:x' };
    expect(asked(request).name).toBeUndefined();
    expect(asked(request, { doubts: ['the size differs'] }).name).toMatchObject({
      name: 'work-1/data',
      what: expect.stringContaining('the size differs'),
    });
  });

  it('names an outage unless the policy allows it, and wants the rehearsal that the policy demands', () => {
    const of = (policy: string, steps: readonly object[]) =>
      confirmationOf(planned({ kind: 'converge' }, steps), configOf(smallFile({ more: policy })));
    const both = [begin('cp-1'), begin('cp-2')];
    expect(of('', both).outage).toBe('The Kubernetes API will be unavailable while cp-1, cp-2 restart.');
    expect(of('policy: { outage: allow }\n', both).outage).toBeUndefined();
    const restart = [{ kind: 'stop-vm', impact: 'restart' }];
    expect(of('', restart).rehearsal).toBe(false);
    expect(of('policy: { rehearse: before-restart }\n', restart).rehearsal).toBe(true);
    expect(of('policy: { rehearse: before-restart }\n', [{ impact: 'live' }]).rehearsal).toBe(false);
  });
});

describe('an answer', () => {
  const full = {
    question: 'Apply this plan?',
    outage: 'The API is unavailable.',
    name: { name: 'small', what: 'small would be reset' },
    rehearsal: false,
  };
  const confirmed = [full.question, full.outage];

  it('of this plan, with every sentence and the name, confirms it', () => {
    expect(unconfirmed(full, 'p1', { planId: 'p1', confirmed, name: 'small' })).toBeUndefined();
  });

  it.each([
    ['no answer', undefined, 'plan p1 was not confirmed'],
    ['another plan', { planId: 'p2', confirmed, name: 'small' }, 'plan p1 was not confirmed'],
    ['no sentence', { planId: 'p1', confirmed: [], name: 'small' }, '"Apply this plan?"'],
    ['no outage', { planId: 'p1', confirmed: [full.question], name: 'small' }, '"The API is unavailable."'],
    ['no name', { planId: 'p1', confirmed }, 'the name small was not typed'],
    ['another name', { planId: 'p1', confirmed, name: 'Small' }, 'the name small was not typed'],
  ])('with %s confirms nothing', (_, answer, missing) => {
    expect(unconfirmed(full, 'p1', answer)).toContain(missing);
  });
});
