/** The cluster's lock, for those who want to see it or take it away. */

import { describeHolder, type Holder } from '../../apply/lock/holder.js';
import type { AcquireOptions } from '../../apply/lock/lock.js';
import { readLock, requireRights, unlock } from '../../apply/lock/lock.js';
import { lockPools } from '../../apply/lock/pools.js';
import { bothGates, type WriteGate } from '../../model/write-gate.js';
import type { Site } from '../connect/site.js';
import { wallClock } from '../connect/wall-clock.js';
import type { SessionContext } from '../context.js';
import { processAt, thisHolder } from './holder.js';

export interface HeldLock {
  readonly holder: Holder;
  /** Who holds it, in words. */
  readonly whose: string;
  /** A run that is alive stops before its next write. `false`: it was released meanwhile. */
  remove(): Promise<boolean>;
}

/** `undefined`: the cluster is not locked. */
export async function heldLock(context: SessionContext, site: Site): Promise<HeldLock | undefined> {
  const pools = lockPools(site.config.cluster, true);
  const us = thisHolder(Date.now());
  // Without the right to see them no lock would look like none.
  await requireRights(pools, us, site.client);
  const holders = await readLock(site.client, pools);
  const [holder] = holders.values();
  if (!holder) return undefined;
  // One run holds all pools; each is named once.
  const whose = [...new Set([...holders.values()].map(describeHolder))].join(' and ');
  return { holder, whose, remove: () => unlock(holders, us, lockTools(context, site)) };
}

/** Pauses pass on the site's clock, which in a lab of this process no one has to wait for; readings age in real time. */
export function lockTools(
  { tell, signal, fence }: Pick<SessionContext, 'tell' | 'signal' | 'fence'>,
  { client: connection, clock }: Pick<Site, 'client' | 'clock'>,
): AcquireOptions {
  const client = fence
    ? { ...connection, behind: (gate: WriteGate) => connection.behind(bothGates(gate, fence.gate)) }
    : connection;
  const onWait = (message: string) => tell({ kind: 'progress', message });
  return { client, clock, time: wallClock, processAt, onWait, signal };
}
