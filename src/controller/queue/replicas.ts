/** Which replicas are alive: each holds a lease of its own, and all of them look at all. */

import { isMapping } from '../../formats/text/mapping.js';
import { GROUP, LEASES } from '../api/group.js';
import type { ControllerContext } from '../controller-context.js';
import type { HeldLease } from '../lease/held-lease.js';
import { recordOf } from '../lease/lease-record.js';
import { ownerOf } from './rendezvous.js';

const REPLICA_LABEL = `${GROUP}/replica`;
/** JSON: site → requests of that replica in the last minute. */
const REQUESTS = `${GROUP}/requests`;

export class Replicas {
  #alive: readonly string[];
  #own: HeldLease | undefined;

  constructor(private readonly context: ControllerContext) {
    this.#alive = [context.identity];
  }

  get alive(): readonly string[] {
    return this.#alive;
  }

  owns(key: string): boolean {
    return ownerOf(key, this.#alive) === this.context.identity;
  }

  /** Whether the set has changed since the last look. */
  async refresh(): Promise<boolean> {
    const { client, leases, namespace, identity, metrics, sites } = this.context;
    if (!this.#own || this.#own.lost.aborted) {
      const notes = () => ({ [REQUESTS]: JSON.stringify(sites?.ownUse ?? {}) });
      const name = `oxherd-replica-${identity}`;
      const got = await leases.acquire(namespace, name, { [REPLICA_LABEL]: 'true' }, notes);
      this.#own = 'held' in got ? got.held : undefined;
    }
    const all = await client.list(LEASES, { namespace, labelSelector: `${REPLICA_LABEL}=true` });
    const alive = new Set([identity]);
    const requests = new Map<string, number>();
    for (const lease of all) {
      const record = recordOf(lease);
      const silent = leases.mayTake(`${namespace}/${lease.metadata.name}`, record);
      if (record.holder !== '' && !silent) {
        alive.add(record.holder);
        if (record.holder !== identity) addRequests(requests, lease.metadata.annotations?.[REQUESTS]);
      } else if (record.holder !== identity) await this.#forget(lease.metadata.name, lease.metadata.uid);
    }
    sites?.heard(requests);
    const before = this.#alive;
    this.#alive = [...alive].sort();
    metrics.set('oxherd_replicas', this.#alive.length);
    return before.join() !== this.#alive.join();
  }

  /** Others take over at once. */
  async leave(): Promise<void> {
    await this.#own?.release();
  }

  /** Of a pod that is no more. */
  async #forget(name: string, uid: string | undefined): Promise<void> {
    const { client, namespace } = this.context;
    await client.delete(LEASES, name, { namespace, ...(uid !== undefined && { uid }) }).catch(() => false);
  }
}

/** What is no such text counts as none. */
function addRequests(sum: Map<string, number>, text = '{}'): void {
  const said = readJson(text);
  if (!isMapping(said)) return;
  for (const [site, count] of Object.entries(said))
    if (typeof count === 'number') sum.set(site, (sum.get(site) ?? 0) + count);
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
