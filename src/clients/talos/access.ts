/** How machines are reached: who answers at an address, and a client for what answers there. */
import type { Clock } from '../../model/clock.js';
import { connectTalos, type TalosClient } from './client.js';
import type { Dial, TalosCredentials } from './connection.js';
import { type Presence, probe } from './probe.js';

export interface TalosAccess {
  probe(ip: string): Promise<Presence>;
  /** As admin of our cluster; `undefined` while there are no secrets. One client per address, kept open. */
  admin(ip: string): TalosClient | undefined;
  /** To a machine without a config; `because` says why this address is the machine that is meant. */
  maintenance(ip: string, because: string): TalosClient;
  close(): void;
}

export interface TalosAccessOptions {
  readonly clock: Clock;
  readonly credentials?: TalosCredentials;
  readonly dial?: Dial;
}

export function talosAccess({ clock, credentials, dial }: TalosAccessOptions): TalosAccess {
  const clients = new Map<string, TalosClient>();
  const keep = (key: string, make: () => TalosClient): TalosClient => {
    const client = clients.get(key) ?? make();
    clients.set(key, client);
    return client;
  };
  const common = { clock, ...(dial && { dial }) };
  return {
    probe: (ip) => probe(ip, dial && { dial }),
    admin: (ip) =>
      credentials &&
      keep(`admin ${ip}`, () =>
        connectTalos({ ...common, address: ip, trust: { kind: 'mutual', ...credentials } }),
      ),
    maintenance: (ip, because) =>
      keep(`maintenance ${ip}`, () =>
        connectTalos({ ...common, address: ip, trust: { kind: 'maintenance', because } }),
      ),
    close() {
      for (const client of clients.values()) client.close();
      clients.clear();
    },
  };
}
