import { describe, expect, it } from 'vitest';
import type { ChaosResult, Verdict } from '../../../session/rehearse/chaos/chaos-case.js';
import { rehearsalOf } from '../../../session/rehearse/rehearsal.js';
import { rehearsalHtml } from './html.js';
import { chaosText } from './text.js';

const NAMES = ['control-plane-1.example.com', 'work-1'];
const rehearsal = {
  ...rehearsalOf('dev', {
    plan: { planId: 'a'.repeat(64), steps: [] },
    events: [],
    watched: { samples: [], violations: [] },
    left: [],
  }),
  ms: 60_000,
  absences: NAMES.map((node) => ({ node, reason: `drain ${node}`, from: 0, to: 30_000 })),
  away: NAMES.map((node) => ({ node, ms: 30_000, times: 1, still: false })),
};
const tried = (...verdicts: readonly Verdict[]): ChaosResult[] =>
  verdicts.map((verdict, index) => ({
    id: `case${index}`,
    step: 'restart-vm:1',
    kind: 'restart-vm',
    node: 'work-1',
    fault: 'api-error',
    subject: 'GET /version',
    verdict,
  }));
const chaos = { seed: 0, planId: 'a', cases: 9, tried: tried('continued', 'did not strike', 'UNSAFE') };

describe('the page of a rehearsal', () => {
  it('has whole names of nodes in both pictures, each in the room that it has', () => {
    const page = rehearsalHtml(rehearsal);
    const [wide = '', narrow = ''] = page.split('<div class="narrow">');
    expect(wide).toContain(`<text x="218" y="17" class="name">${NAMES[0]}</text>`);
    // A phone has no room beside the bars.
    expect(narrow).toContain(`<text x="10" y="16">${NAMES[0]}</text>`);
    expect(narrow).toContain(`<td role="cell" data-head="Node">${NAMES[0]}</td>`);
  });

  it('sets faults against steps, says what is left, and the worst case first', () => {
    const page = rehearsalHtml(rehearsal, chaos);
    expect(page).toContain(
      '3 of 9 cases tried, seed 0: 1 continued, 1 did not strike, 1 UNSAFE. 6 cases left',
    );
    expect(page).toContain('>restart-vm</th>');
    expect(page).toContain('>1 continued, 1 did not strike, 1 UNSAFE</td>');
    expect(page.indexOf('case2')).toBeLessThan(page.indexOf('case0'));
  });
});

it('a fault that did not strike is no case that went well', () => {
  const text = chaosText({ ...chaos, tried: tried('continued', 'did not strike') }, false);
  expect(text).toContain('No invariant broken in 1 case, of 9');
  expect(text).toContain('In 1 other case the fault did not strike');
  expect(text).toContain('7 cases left');
});
