import { describe, expect, it } from 'vitest';
import { type Scenario, search } from '../../../test/support/apply/lock/search.js';
import { ACQUIRE, advance, type Party, RELEASE, type Rules, type State } from './protocol.js';

const run = { computer: 'one', does: 'run' } as const;
const elsewhere = { computer: 'two', does: 'run' } as const;
const unlock = { computer: 'two', does: 'unlock' } as const;

/** Larger ones: test/exhaustive/lock.test.ts. */
describe('over all orders of events there is one holder, and no one writes beside it', () => {
  it.each<[string, Scenario]>([
    ['two runs', { contenders: [run, run], crashes: 2, losses: 1 }],
    ['a run and one elsewhere', { contenders: [run, elsewhere], crashes: 1, losses: 1 }],
    ['a run and its unlock', { contenders: [run, unlock], crashes: 1, losses: 1 }],
    [
      'two runs after one that died while it released',
      { contenders: [run, run], crashes: 0, losses: 0, left: { holder: true, flight: 'holder deletes' } },
    ],
    [
      'two runs after a claimant that died while it wrote itself in',
      {
        contenders: [run, run],
        crashes: 0,
        losses: 0,
        left: { holder: true, claimant: true, flight: 'claimant replaces' },
      },
    ],
    ['two runs and an unlock', { contenders: [run, unlock, run], crashes: 0, losses: 0 }],
  ])('%s', (_, scenario) => {
    const found = search(scenario);
    expect(found.violation).toBeUndefined();
    expect(found.states).toBeGreaterThan(1_000);
    // Whatever is left behind, a later run of that computer takes over and leaves nothing.
    for (const end of found.ends) expect(laterRun(end)).toEqual(['held', 'over', '/']);
    if (scenario.crashes === 0 && !scenario.left) expect([...found.ends]).toEqual(['/']);
  });
});

describe('the search finds what each rule is for', () => {
  const noSettling: typeof advance = (state, event, rules) => {
    const next = advance(state, event, rules);
    return next.at === 'wait' && next.why === 'settle' ? { at: 'held' } : next;
  };

  it.each<[string, Scenario]>([
    ['unlock does not wait', { contenders: [run, unlock, run], crashes: 0, losses: 0, settle: 1 }],
    [
      'unlock waits as long as a reading is fresh, and no longer',
      { contenders: [run, unlock, run], crashes: 0, losses: 0, settle: 2 },
    ],
    [
      'a take-over does not wait for the last request of the dead',
      {
        contenders: [run, run],
        crashes: 0,
        losses: 0,
        advance: noSettling,
        left: { holder: true, flight: 'holder deletes' },
      },
    ],
    [
      'a dead claimant is cleared away by two at once and nobody waits',
      {
        contenders: [run, run],
        crashes: 0,
        losses: 0,
        advance: noSettling,
        left: { holder: true, claimant: true },
      },
    ],
  ])('%s', (_, scenario) => {
    expect(search(scenario).violation?.what).toMatch(/two holders|a write of \w takes effect while/);
  });
});

/** A run for itself: pools at the start, then how it ends, how its release ends, and the pools after it. */
function laterRun(start: string): string[] {
  const [holder = '', claimed = ''] = start.split('/');
  let lock = holder;
  const claims = new Map(claimed === '' ? [] : claimed.split(';').map((pair) => split(pair)));
  const rules: Rules = { token: 'z', hasEnded: () => true };
  const carryOut = (state: State): State => {
    for (let rounds = 0; rounds < 50 && 'goal' in state; rounds += 1) {
      if (state.at === 'wait') state = advance(state, { is: 'waited' }, rules);
      else if (state.at === 'look') {
        const parties = new Map<string, Party>([...claims].map(([token, by]) => [token, { token: by }]));
        const sight = { holder: lock === '' ? undefined : { token: lock }, claims: parties };
        state = advance(state, { is: 'saw', sight }, rules);
      } else {
        const { mutation } = state;
        if (mutation.do === 'create' || mutation.do === 'replace') lock = 'z';
        if (mutation.do === 'delete') lock = '';
        if (mutation.do === 'claim') claims.set(mutation.token, 'z');
        if (mutation.do === 'unclaim') claims.delete(mutation.token);
        state = advance(state, { is: 'answered' }, rules);
      }
    }
    return state;
  };
  const ends = [carryOut(ACQUIRE).at, carryOut(RELEASE).at];
  return [...ends, `${lock}/${[...claims].join(';')}`];
}

function split(pair: string): [string, string] {
  const [token = '', claimant = ''] = pair.split(',');
  return [token, claimant];
}
