import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Auto, decide, fitsWindow, type Question, rank, worstImpact } from './decide.js';

const NOW = Date.parse('2026-06-01T10:00:00Z');
const IMPACTS = ['none', 'live', 'component', 'restart', 'replace', 'reset', 'remove', 'data-loss'] as const;
const AUTOS: readonly Auto[] = ['none', 'live', 'component', 'restart'];

function asked(more: Partial<Question> = {}, auto: Auto = 'none'): Question {
  return { policy: { auto, windows: [] }, impact: 'live', outage: false, now: NOW, ...more };
}
const approval = { by: 'alice', expires: NOW + 1_000 };
const window = { days: [], start: '22:00', end: '23:00', timeZone: 'UTC' };

describe('the policy of a cluster', () => {
  it('applies up to its impact without a person, and asks for more', () => {
    for (const auto of AUTOS)
      for (const impact of ['none', 'live', 'component', 'restart', 'replace'] as const) {
        const may = auto !== 'none' && rank(impact) <= rank(auto);
        expect(decide(asked({ impact }, auto))).toMatchObject(
          may ? { do: 'apply' } : { do: 'wait', reason: 'AwaitingApproval' },
        );
      }
  });

  it('takes an approval until it expires, and says who gave it', () => {
    expect(decide(asked({ impact: 'replace', approval }))).toEqual({ do: 'apply', approvedBy: 'alice' });
    const late = decide(asked({ impact: 'replace', approval, now: NOW + 1_000 }));
    expect(late).toMatchObject({
      do: 'wait',
      message: expect.stringContaining('the approval by alice has expired'),
    });
  });

  it('leaves resets, removals and data loss to the command line, whatever is approved', () => {
    for (const impact of ['reset', 'remove', 'data-loss'] as const)
      expect(decide(asked({ impact, approval }, 'restart'))).toMatchObject({
        do: 'refuse',
        reason: 'CommandLineOnly',
      });
    expect(decide(asked({ impact: 'restart', approval, most: 'component' }))).toMatchObject({ do: 'refuse' });
  });

  it('destroys with an approval alone, and never data', () => {
    expect(decide(asked({ impact: 'remove', destroy: true }, 'restart'))).toMatchObject({
      reason: 'AwaitingApproval',
    });
    expect(decide(asked({ impact: 'remove', destroy: true, approval }))).toMatchObject({ do: 'apply' });
    expect(decide(asked({ impact: 'data-loss', destroy: true, approval }))).toMatchObject({ do: 'refuse' });
  });

  it('asks where the API will not answer for a while', () => {
    expect(decide(asked({ outage: true, impact: 'restart' }, 'restart'))).toMatchObject({
      reason: 'AwaitingApproval',
    });
  });

  it('waits for the end of a freeze and for a window; live changes need no window', () => {
    const policy = { auto: 'restart' as const, windows: [window] };
    expect(decide(asked({ policy: { ...policy, freezeUntil: NOW + 5 } }))).toMatchObject({
      reason: 'Frozen',
      until: NOW + 5,
    });
    expect(decide(asked({ policy, impact: 'live' }))).toMatchObject({ do: 'apply' });
    expect(decide(asked({ policy, impact: 'restart' }))).toMatchObject({
      reason: 'AwaitingWindow',
      until: Date.parse('2026-06-01T22:00:00Z'),
    });
    const inside = Date.parse('2026-06-01T22:30:00Z');
    expect(decide(asked({ policy, impact: 'restart', now: inside }))).toEqual({
      do: 'apply',
      until: Date.parse('2026-06-01T23:00:00Z'),
    });
  });

  it('goes on with the rest of an approved run after its approval has expired', () => {
    expect(
      decide(asked({ impact: 'replace', continues: { by: 'bob' }, approval: { ...approval, expires: 0 } })),
    ).toEqual({
      do: 'apply',
      approvedBy: 'bob',
    });
  });

  it('begins no node that would not be back before the window closes', () => {
    expect(fitsWindow(NOW + 90_000, NOW, 90)).toBe(true);
    expect(fitsWindow(NOW + 90_000, NOW, 91)).toBe(false);
    expect(fitsWindow(undefined, NOW, 1e9)).toBe(true);
  });

  it('never applies without a policy or a person that allows it', () => {
    const property = fc.property(
      fc.constantFrom(...IMPACTS),
      fc.constantFrom(...AUTOS),
      fc.boolean(),
      fc.option(fc.integer({ min: -10, max: 10 }), { nil: undefined }),
      (impact, auto, outage, expires) => {
        const given = expires === undefined ? {} : { approval: { by: 'x', expires: NOW + expires } };
        const decision = decide(asked({ impact, outage, ...given }, auto));
        if (decision.do !== 'apply') return;
        expect(rank(impact)).toBeLessThanOrEqual(rank('replace'));
        const byPerson = expires !== undefined && expires > 0;
        const byPolicy = auto !== 'none' && !outage && rank(impact) <= rank(auto);
        expect(byPerson || byPolicy).toBe(true);
      },
    );
    fc.assert(property, { numRuns: 200 });
  });

  it('counts the worst of its steps', () => {
    expect(worstImpact(['live', 'replace', 'none'])).toBe('replace');
    expect(worstImpact([])).toBe('none');
  });
});
