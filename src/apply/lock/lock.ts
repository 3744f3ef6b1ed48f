/** One writer at a time: pools in Proxmox, because creating one is atomic there. `protocol.ts` decides. */
import type { ProxmoxClient } from '../../clients/proxmox/client.js';
import type { WriteGate } from '../../model/write-gate.js';
import { drive, type LockTools, sightOf } from './drive.js';
import { type Holder, hasEnded, type ProcessSight } from './holder.js';
import { heldBy, notPermitted } from './lock-error.js';
import { claimPool } from './pools.js';
import { ACQUIRE, RELEASE, type Rules } from './protocol.js';
import { LockGate } from './write-gate.js';

export interface ClusterLock {
  /** Every write of the run passes it. */
  readonly gate: WriteGate;
  /** Aborted with a `LockError` once the lock is seen to be lost. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

export interface AcquireOptions extends LockTools {
  /** What the system says about a process of this computer. */
  readonly processAt: (pid: number) => ProcessSight;
}

/** Runs of this process that hold a lock or are about to. */
const active = new Set<string>();

/** All pools in their order, or none. */
export async function acquireLock(
  pools: readonly string[],
  us: Holder,
  options: AcquireOptions,
): Promise<ClusterLock> {
  await requireRights(pools, us, options.client);
  active.add(us.token);
  try {
    await takeAll(pools, us, options, () => undefined);
  } catch (error) {
    active.delete(us.token);
    throw error;
  }
  const gate = new LockGate(options.client, pools, us.token, options.time);
  return {
    gate,
    lost: gate.lost,
    async release() {
      active.delete(us.token);
      // The next run must not meet it.
      if (gate.inDoubtFor > 0) await options.clock.sleep(gate.inDoubtFor);
      await releaseAll(pools, us, options);
    },
  };
}

/** Takes the lock from the holders that were shown, whether they live or not, and gives it back. `false`: gone before. */
export async function unlock(
  holders: ReadonlyMap<string, Holder>,
  us: Holder,
  options: AcquireOptions,
): Promise<boolean> {
  const pools = [...holders.keys()];
  await requireRights(pools, us, options.client);
  active.add(us.token);
  try {
    const taken = await takeAll(pools, us, options, (pool) => holders.get(pool)?.token);
    await releaseAll(taken, us, options);
    return taken.length > 0;
  } finally {
    active.delete(us.token);
  }
}

/** Who holds which of the pools. */
export async function readLock(
  client: Pick<ProxmoxClient, 'pools'>,
  pools: readonly string[],
): Promise<ReadonlyMap<string, Holder>> {
  const entries = await client.pools();
  return new Map(
    pools.flatMap((pool) => {
      const { holder } = sightOf(pool, entries);
      return holder ? [[pool, holder] as const] : [];
    }),
  );
}

/** Gives back those it took; throws where one is held, and then holds none. */
async function takeAll(
  pools: readonly string[],
  us: Holder,
  options: AcquireOptions,
  unlocks: (pool: string) => string | undefined,
): Promise<string[]> {
  const taken: string[] = [];
  for (const pool of pools) {
    try {
      const end = await drive(options, pool, us, ACQUIRE, rulesFor(us, options, unlocks(pool)));
      if (end.at === 'refused') throw heldBy(pool, end.by, end.as);
      if (end.at === 'held') taken.push(pool);
    } catch (error) {
      // It may be ours although it failed for us: releasing looks first.
      await releaseAll([...taken, pool], us, options).catch(() => undefined);
      throw error;
    }
  }
  return taken;
}

async function releaseAll(pools: readonly string[], us: Holder, options: AcquireOptions): Promise<void> {
  // An interrupted run releases all the same.
  const { signal: _, onWait: __, ...tools } = options;
  for (const pool of pools.toReversed()) {
    await drive(tools, pool, us, RELEASE, rulesFor(us, options, undefined));
  }
}

function rulesFor(us: Holder, { processAt }: AcquireOptions, unlocks: string | undefined): Rules<Holder> {
  return {
    token: us.token,
    hasEnded: (holder) => hasEnded(holder, us, processAt, active),
    ...(unlocks !== undefined && { unlocks }),
  };
}

/** There is no blind lock: a holder that cannot be seen cannot be checked before a write. */
export async function requireRights(
  pools: readonly string[],
  us: Holder,
  client: Pick<ProxmoxClient, 'permissions' | 'tokenId'>,
): Promise<void> {
  // A claim is a pool of its own: a right on the lock's pool alone does not reach it.
  const paths = pools.flatMap((pool) => [pool, claimPool(pool, us.token)]).map((name) => `/pool/${name}`);
  const held = await Promise.all(
    paths.map(async (path) => {
      const permissions = await client.permissions(path);
      return new Set(Object.values(permissions).flatMap((entry) => Object.keys(entry)));
    }),
  );
  const missing = ['Pool.Allocate', 'Pool.Audit'].filter((need) => !held.every((one) => one.has(need)));
  if (missing.length > 0) throw notPermitted(missing, client.tokenId);
}
