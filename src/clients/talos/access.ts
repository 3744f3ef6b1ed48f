/** How machines are reached: who answers at an address, and a client for what answers there. */
import type { Clock } from '../../model/clock.js';
import type { WriteGate } from '../../model/write-gate.js';
import type { Deadlines } from './calls.js';
import type { TalosClient, TalosConnection } from './client.js';
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

/** What `talosAccess` opens. Steps get the access alone. */
export interface TalosConnections extends TalosAccess {
  /** Over the same connections; every call that may change something passes the gate. */
  behind(gate: WriteGate): TalosAccess;
}

interface TalosAccessOptions {
  readonly clock: Clock;
  readonly credentials?: TalosCredentials;
  readonly dial?: Dial;
  readonly deadlines?: Partial<Deadlines>;
}

/** gRPC and its messages are loaded where a machine can be asked something: with credentials, or once one waits. */
export async function talosAccess({
  clock,
  credentials,
  dial,
  deadlines,
}: TalosAccessOptions): Promise<TalosConnections> {
  const load = async () => (await import('./client.js')).connectTalos;
  let loaded = credentials && (await load());
  const connectTalos = (options: Parameters<Awaited<ReturnType<typeof load>>>[0]): TalosConnection => {
    if (!loaded) throw new TypeError(`no machine was found at ${options.address}`);
    return loaded(options);
  };

  const clients = new Map<string, TalosConnection>();
  const keep = (key: string, make: () => TalosConnection): TalosConnection => {
    const client = clients.get(key) ?? make();
    clients.set(key, client);
    return client;
  };
  const common = { clock, ...(dial && { dial }), ...(deadlines && { deadlines }) };
  const trust = credentials && { kind: 'mutual' as const, ...credentials };
  const open = {
    probe: async (ip: string) => {
      const presence = await probe(ip, dial && { dial });
      if (presence === 'maintenance') loaded ??= await load();
      return presence;
    },
    admin: (ip: string) =>
      trust && keep(`admin ${ip}`, () => connectTalos({ ...common, address: ip, trust })),
    maintenance: (ip: string, because: string) =>
      keep(`maintenance ${ip}`, () =>
        connectTalos({ ...common, address: ip, trust: { kind: 'maintenance', because } }),
      ),
    close() {
      for (const client of clients.values()) client.close();
      clients.clear();
    },
  };
  return {
    ...open,
    behind: (gate) => ({
      ...open,
      admin: (ip) => open.admin(ip)?.behind(gate),
      maintenance: (ip, because) => open.maintenance(ip, because).behind(gate),
    }),
  };
}
