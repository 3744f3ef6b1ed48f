/** Who made what on a lab Proxmox, kept apart from all code that is tested; and what an actor must have left alone. */
import type { PveDb } from '../../../src/lab/proxmox/db.js';

export type Party = 'one' | 'other' | 'person';

/** Each thing by a name of its own, with all that must not change. */
type Things = ReadonlyMap<string, string>;

/** VMs, what is in each volume, and rights. Locks come and go. */
export function thingsOf(db: PveDb): Things {
  const things = new Map<string, string>();
  for (const [vmid, { config, pending, running, snapshots, host }] of db.vms.entries())
    things.set(`vm ${vmid}`, JSON.stringify([config, pending, running !== undefined, snapshots, host]));
  for (const [key, { size, data, snapshots }] of db.volumes.entries())
    if (!key.includes(':import/')) things.set(`volume ${key}`, JSON.stringify([size, data, snapshots]));
  for (const [id, role] of db.roles.entries()) things.set(`role ${id}`, JSON.stringify(role));
  for (const [id, user] of db.users.entries()) things.set(`user ${id}`, JSON.stringify(user));
  for (const [id, token] of db.tokens.entries()) things.set(`token ${id}`, JSON.stringify(token));
  for (const [key, acl] of db.acls.entries()) things.set(`acl ${key}`, JSON.stringify(acl));
  for (const [id, pool] of db.pools.entries())
    if (!/lock(_|$)/.test(id)) things.set(`pool ${id}`, JSON.stringify(pool));
  return things;
}

export class Ledger {
  readonly #makers = new Map<string, Party>();
  #things: Things;

  constructor(private readonly db: PveDb) {
    this.#things = thingsOf(db);
  }

  makerOf(thing: string): Party | undefined {
    return this.#makers.get(thing);
  }

  /** Vmids of a party. */
  vmsOf(party: Party): number[] {
    return [...this.#makers]
      .filter(([thing, maker]) => maker === party && thing.startsWith('vm ') && this.#things.has(thing))
      .map(([thing]) => Number(thing.slice(3)));
  }

  /**
   * After each step: what others made is as it was, and of the actor's own volumes none is gone or has other contents
   * that this run did not name; a system disk may be made again.
   */
  check(actor: Party, named: ReadonlySet<string>): string[] {
    const now = thingsOf(this.db);
    const wrong: string[] = [];
    for (const [thing, was] of this.#things) {
      const maker = this.#makers.get(thing);
      const is = now.get(thing);
      if (is === was) continue;
      if (maker !== actor)
        wrong.push(`${actor} ${is === undefined ? 'removed' : 'changed'} ${thing} of ${maker ?? 'the lab'}`);
      else if (actor !== 'person' && thing.startsWith('volume ') && !this.#mayGo(thing, was, is, named))
        wrong.push(
          `${actor} ${is === undefined ? 'removed' : 'changed'} its own ${thing}, which was not named`,
        );
    }
    for (const thing of now.keys()) if (!this.#things.has(thing)) this.#makers.set(thing, actor);
    this.#things = now;
    return wrong;
  }

  #mayGo(thing: string, was: string, is: string | undefined, named: ReadonlySet<string>): boolean {
    const volid = thing.replace(/^volume (?:[^/:]+\/)?/, '');
    if (named.has(volid) || isSystemDisk(volid)) return true;
    // Grown: the same contents in more room.
    return (
      is !== undefined && JSON.stringify(JSON.parse(is).slice(1)) === JSON.stringify(JSON.parse(was).slice(1))
    );
  }
}

/** Of a Talos VM in the layout `data-vm`: three digits, and one disk and a cloud-init drive of its own. */
function isSystemDisk(volid: string): boolean {
  return /:vm-\d{3}-(disk-\d+|cloudinit)$/.test(volid);
}
