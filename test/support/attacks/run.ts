/** Every attack on every bus, storage and layout, before an operation or between any two of its requests. */
import type { ProxmoxClient, ProxmoxConnection } from '../../../src/clients/proxmox/client.js';
import { Arena, LAYOUTS, type Layout, STORAGES, type Storage } from './arena.js';
import { ATTACKS, type Attack, type AttackGroup } from './attacks.js';
import { OPERATIONS, type OperationName, tried } from './operations.js';

export interface AttackCase {
  readonly name: string;
  readonly attack: Attack;
  readonly slot: string;
  readonly layout: Layout;
  readonly storage: Storage;
  readonly operation: OperationName;
  /** Requests of the operation that go out before the attack; 0: it has happened before. */
  readonly after: number;
}

/** Early, among the reads, and among the writes. */
const MOMENTS = [0, 6, 25, 60];

export function attackCases(group?: AttackGroup): AttackCase[] {
  const attacks: readonly Attack[] = group ? ATTACKS[group] : Object.values(ATTACKS).flat();
  return attacks.flatMap((attack) =>
    (attack.layouts ?? LAYOUTS).flatMap((layout) =>
      (attack.slots ?? ['']).flatMap((slot) =>
        STORAGES.flatMap((storage) =>
          attack.operations.flatMap((operation) =>
            MOMENTS.map((after) => ({
              name: `${attack.name}${slot === '' ? '' : ` (${slot})`}, ${layout} on ${storage}, then ${operation}${after === 0 ? '' : `, ${after} requests in`}`,
              attack,
              slot,
              layout,
              storage,
              operation,
              after,
            })),
          ),
        ),
      ),
    ),
  );
}

/** What was lost; empty where all is well. */
export async function runAttack({
  attack,
  slot,
  layout,
  storage,
  operation,
  after,
}: AttackCase): Promise<string[]> {
  const arena = await Arena.build({ layout, storage });
  try {
    const strike = async () => {
      await tried(() => attack.run(arena, slot));
      arena.mark();
    };
    if (after === 0) await strike();
    const client = after === 0 ? arena.hand : interrupted(arena.hand, after, strike);
    let named: ReadonlySet<string> = new Set();
    await tried(async () => {
      named = await OPERATIONS[operation](arena, client);
    });
    // An operation that failed half-way may have done what it was asked for.
    if (named.size === 0 && operation.startsWith('delete logs')) named = arena.logs;
    return arena.lost(named);
  } finally {
    await arena.stop();
  }
}

/**
 * Proxmox's own call to destroy a VM takes no digest: what is attached after the last look and before the call goes
 * with the VM, whoever sends it (docs/storage.md). Every other call is struck.
 */
const UNSTOPPABLE: ReadonlySet<string> = new Set(['behind', 'destroyVm']);

/** They wait for calls of their own, or only for time to pass. */
const WAITING: ReadonlySet<string> = new Set(['runTask', 'waitTask']);

/**
 * The same client, with something that happens between two of its calls. A run has several under way at a time: the
 * others are answered first, so that none of them is half before and half after it.
 */
function interrupted(
  client: ProxmoxConnection,
  after: number,
  strike: () => Promise<void>,
): ProxmoxConnection {
  let calls = 0;
  const open = new Set<Promise<unknown>>();
  let struck: Promise<void> | undefined;
  const standStill = async (): Promise<void> => {
    // What an answer leads to at once, such as destroying a VM after the last look at it, belongs to the call before.
    while (open.size > 0) {
      await Promise.allSettled([...open]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await strike();
  };
  const before = async (): Promise<void> => {
    calls += 1;
    if (calls === after) struck = standStill();
    await struck;
  };
  const answered = <T>(call: Promise<T>): Promise<T> => {
    open.add(call);
    const done = () => open.delete(call);
    call.then(done, done);
    return call;
  };
  const wrapped = (one: ProxmoxClient): ProxmoxClient =>
    Object.fromEntries(
      Object.entries(one).map(([name, value]) => [
        name,
        typeof value !== 'function' || name === 'behind' || WAITING.has(name)
          ? value
          : async (...args: unknown[]) => {
              if (!UNSTOPPABLE.has(name)) await before();
              return answered(Promise.resolve(value(...args)));
            },
      ]),
    ) as unknown as ProxmoxClient;
  return { ...wrapped(client), behind: (gate) => wrapped(client.behind(gate)) };
}
