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

/** The same client, with something that happens before one of its calls. */
function interrupted(
  client: ProxmoxConnection,
  after: number,
  strike: () => Promise<void>,
): ProxmoxConnection {
  let calls = 0;
  const before = async () => {
    calls += 1;
    if (calls === after) await strike();
  };
  const wrapped = (one: ProxmoxClient): ProxmoxClient =>
    Object.fromEntries(
      Object.entries(one).map(([name, value]) => [
        name,
        typeof value === 'function' && !UNSTOPPABLE.has(name)
          ? async (...args: unknown[]) => {
              await before();
              return value(...args);
            }
          : value,
      ]),
    ) as unknown as ProxmoxClient;
  return { ...wrapped(client), behind: (gate) => wrapped(client.behind(gate)) };
}
