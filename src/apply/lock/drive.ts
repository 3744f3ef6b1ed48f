/** Does what the protocol asks for, on pools of Proxmox, and tells it how that went. */
import type { ProxmoxConnection } from '../../clients/proxmox/client.js';
import { isProxmoxError } from '../../clients/proxmox/errors.js';
import type { Clock } from '../../model/clock.js';
import { Reading, type RealTime } from './freshness.js';
import { type Holder, parseHolder, printHolder } from './holder.js';
import { LockError } from './lock-error.js';
import { claimedToken, claimPool } from './pools.js';
import {
  advance,
  type Event,
  type Mutation,
  type Rules,
  SETTLE_MS,
  type Sight,
  type State,
} from './protocol.js';

export interface LockTools {
  readonly client: ProxmoxConnection;
  /** Pauses pass on this clock. */
  readonly clock: Clock;
  readonly time: RealTime;
  /** Told why nothing happens for a while. */
  readonly onWait?: (message: string) => void;
  readonly signal?: AbortSignal;
}

/** Contenders cannot keep each other busy for longer than this by chance. */
const MOST_ROUNDS = 100;

/** From `state` until the lock is held, refused or released. */
export async function drive(
  tools: LockTools,
  pool: string,
  us: Holder,
  state: State<Holder>,
  rules: Rules<Holder>,
): Promise<Exclude<State<Holder>, { at: 'look' | 'send' | 'wait' }>> {
  let reading = new Reading(tools.time);
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    switch (state.at) {
      case 'look': {
        reading = new Reading(tools.time);
        const sight = sightOf(pool, await tools.client.pools());
        state = advance(state, { is: 'saw', sight }, rules);
        break;
      }
      case 'send':
        state = advance(state, await send(tools, pool, us, state.mutation, reading), rules);
        break;
      case 'wait':
        tools.onWait?.(WAITS[state.why]);
        await tools.clock.sleep(SETTLE_MS, tools.signal);
        state = advance(state, { is: 'waited' }, rules);
        break;
      default:
        return state;
    }
  }
  throw new LockError('lock.contended', 'the cluster lock changes hands too often to be taken', {
    where: `pool ${pool}`,
    advice: 'see who runs oxherd on this cluster, then run it again',
  });
}

const WAITS = {
  settle: `took over the cluster lock; waiting ${SETTLE_MS / 1_000} s until the previous run can no longer write`,
  'lost-answer': `no answer about the cluster lock; waiting ${SETTLE_MS / 1_000} s before reading it again`,
};

export function sightOf(
  pool: string,
  entries: readonly { readonly poolid: string; readonly comment: string | undefined }[],
): Sight<Holder> {
  const lock = entries.find((entry) => entry.poolid === pool);
  const claims = entries.flatMap(({ poolid, comment }) => {
    const token = claimedToken(pool, poolid);
    return token === undefined ? [] : [[token, parseHolder(comment ?? '')] as const];
  });
  return { holder: lock && parseHolder(lock.comment ?? ''), claims: new Map(claims) };
}

class TooLate extends Error {
  override readonly name = 'TooLate';
}

async function send(
  tools: LockTools,
  pool: string,
  us: Holder,
  mutation: Mutation,
  reading: Reading,
): Promise<Event<Holder>> {
  const client = tools.client.behind({
    async open() {
      if (!reading.isFresh) throw new TooLate();
    },
    isOpen: () => reading.isFresh,
  });
  try {
    switch (mutation.do) {
      case 'create':
        await client.createPool(pool, printHolder(us));
        break;
      case 'claim':
        await client.createPool(claimPool(pool, mutation.token), printHolder(us));
        break;
      case 'unclaim':
        await client.deletePool(claimPool(pool, mutation.token));
        break;
      case 'replace':
        await client.updatePool(pool, { comment: printHolder(us) });
        break;
      case 'delete':
        await client.deletePool(pool);
        break;
    }
    return { is: 'answered' };
  } catch (error) {
    if (error instanceof TooLate) return { is: 'too-late' };
    if (isProxmoxError(error, 'proxmox.exists') || isProxmoxError(error, 'proxmox.not-found'))
      return { is: 'answered' };
    if (isProxmoxError(error) && error.mayHaveHappened) return { is: 'no-answer' };
    throw error;
  }
}
