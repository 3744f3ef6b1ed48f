/**
 * How a run comes by the lock of a cluster, keeps it and gives it back: decided from what was read alone. The
 * I/O layer does what is asked for and tells how it went; the search in `protocol.test.ts` does the same over all
 * orders of events.
 *
 * The lock is a pool whose comment names its holder. Creating a pool is atomic; changing a comment and deleting are
 * not conditional, so both rest on time: a request leaves at most FRESH_MS after the reading that justifies it and
 * takes effect within the same time again, or never. Whoever has replaced a holder, and whoever lost an answer, waits
 * SETTLE_MS (longer than both together) and reads again before it goes on.
 */

/** A reading may justify a request for this long. */
export const FRESH_MS = 5_000;
/** After this long nothing can happen any more that an older reading justified. */
export const SETTLE_MS = 10_000;

export interface Party {
  /** Random, so no two holders ever have the same. */
  readonly token: string;
}

/** One reading of all pools that matter. */
export interface Sight<P extends Party = Party> {
  readonly holder: P | undefined;
  /** By the token that they claim: who is replacing its holder. */
  readonly claims: ReadonlyMap<string, P>;
}

export type Mutation =
  /** Create the lock's pool with us as its holder. */
  | { readonly do: 'create' }
  /** Create the pool that says: we replace the holder with this token. */
  | { readonly do: 'claim'; readonly token: string }
  /** Delete that pool: ours, or that of a claimant who has ended. */
  | { readonly do: 'unclaim'; readonly token: string }
  /** Write ourselves over the holder. */
  | { readonly do: 'replace' }
  /** Delete the lock's pool. */
  | { readonly do: 'delete' };

export type State<P extends Party = Party> =
  | ({ readonly at: 'look' } & Memory)
  | ({ readonly at: 'send'; readonly mutation: Mutation } & Memory)
  | ({ readonly at: 'wait'; readonly why: 'settle' | 'lost-answer' } & Memory)
  | { readonly at: 'held' }
  /** Another run holds it, or is about to. */
  | { readonly at: 'refused'; readonly by: P; readonly as: 'holder' | 'claimant' }
  /** Released, or nothing was there to be taken. */
  | { readonly at: 'over' };

interface Memory {
  readonly goal: 'hold' | 'release';
  /** We wrote over another holder, who may not know it yet. */
  readonly replaced: boolean;
  readonly settled: boolean;
}

export interface Rules<P extends Party = Party> {
  readonly token: string;
  /** It can be proved that this run is no more. */
  readonly hasEnded: (party: P) => boolean;
  /** `unlock`: the holder that a person decided to replace, whether it lives or not. */
  readonly unlocks?: string;
}

export type Event<P extends Party = Party> =
  | { readonly is: 'saw'; readonly sight: Sight<P> }
  /** Carried out, or refused because the pool exists or is missing: reading again tells which. */
  | { readonly is: 'answered' }
  /** No answer: it may have been carried out, or may yet be. */
  | { readonly is: 'no-answer' }
  /** Not sent: the reading had become too old. */
  | { readonly is: 'too-late' }
  | { readonly is: 'waited' };

export const ACQUIRE: State<never> = { at: 'look', goal: 'hold', replaced: false, settled: false };
export const RELEASE: State<never> = { at: 'look', goal: 'release', replaced: false, settled: false };

export function advance<P extends Party>(state: State<P>, event: Event<P>, rules: Rules<P>): State<P> {
  switch (state.at) {
    case 'look':
      return event.is === 'saw' ? decide(state, event.sight, rules) : state;
    case 'send':
      return afterSending(state, event);
    case 'wait':
      if (event.is !== 'waited') return state;
      return { ...memory(state), at: 'look', settled: state.settled || state.why === 'settle' };
    default:
      return state;
  }
}

function afterSending<P extends Party>(state: State<P> & { at: 'send' }, event: Event<P>): State<P> {
  const replaces = state.mutation.do === 'replace';
  const sent = {
    goal: state.goal,
    replaced: state.replaced || replaces,
    settled: state.settled && !replaces,
  };
  switch (event.is) {
    case 'answered':
      return { ...sent, at: 'look' };
    case 'no-answer':
      return { ...sent, at: 'wait', why: 'lost-answer' };
    case 'too-late':
      return { ...memory(state), at: 'look' };
    default:
      return state;
  }
}

function decide<P extends Party>(was: Memory, sight: Sight<P>, rules: Rules<P>): State<P> {
  const { holder, claims } = sight;
  const send = (mutation: Mutation): State<P> => ({ ...memory(was), at: 'send', mutation });
  for (const [token, claimant] of claims) {
    // A claim to a holder that is gone serves nothing; it goes with whoever made it, or comes upon it later.
    const ours = claimant.token === rules.token;
    if (token !== holder?.token && (ours || rules.hasEnded(claimant))) return send({ do: 'unclaim', token });
  }
  if (was.goal === 'release') return holder?.token === rules.token ? send({ do: 'delete' }) : { at: 'over' };
  if (!holder) return rules.unlocks === undefined ? send({ do: 'create' }) : { at: 'over' };
  if (holder.token !== rules.token) return takeOver(holder, sight, rules, send);
  if (was.replaced && !was.settled) return { ...memory(was), at: 'wait', why: 'settle' };
  return { at: 'held' };
}

function takeOver<P extends Party>(
  holder: P,
  { claims }: Sight<P>,
  rules: Rules<P>,
  send: (mutation: Mutation) => State<P>,
): State<P> {
  const { token } = holder;
  const unlocks = rules.unlocks === token;
  if (!unlocks && !rules.hasEnded(holder)) return { at: 'refused', by: holder, as: 'holder' };
  const claimant = claims.get(token);
  if (!claimant) return send({ do: 'claim', token });
  if (claimant.token === rules.token) return send({ do: 'replace' });
  if (unlocks || rules.hasEnded(claimant)) return send({ do: 'unclaim', token });
  return { at: 'refused', by: claimant, as: 'claimant' };
}

function memory({ goal, replaced, settled }: Memory): Memory {
  return { goal, replaced, settled };
}
