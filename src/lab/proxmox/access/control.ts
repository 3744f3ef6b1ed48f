import type { AccessControl, Principal } from '../api.js';
import type { PveDb } from '../db.js';
import { type Privileges, Rights } from './rights.js';
import type { TicketOffice } from './tickets.js';

export function createAccessControl(db: PveDb, tickets: TicketOffice): AccessControl {
  return {
    principal: (id) => createPrincipal(id, new Rights(db)),
    privileges: (id, path) => new Rights(db).privileges(id, path),
    newTicket: (user) => ({ ticket: tickets.ticket(user), csrf: tickets.csrf(user) }),
    isTicketOf: (user, ticket) => tickets.userOf(ticket) === user,
  };
}

/** Many paths share one set of rights, so its names are listed once. */
const names = new WeakMap<Privileges, ReadonlySet<string>>();

export function createPrincipal(id: string, rights: Rights): Principal {
  const [user = '', token] = id.split('!');
  return {
    id,
    user,
    ...(token === undefined ? {} : { token }),
    isRoot: id === 'root@pam',
    privileges(path) {
      const held = rights.privileges(id, path);
      let set = names.get(held);
      if (!set) {
        set = new Set(held.keys());
        names.set(held, set);
      }
      return set;
    },
  };
}
