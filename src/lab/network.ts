/**
 * Who listens where. Inside a command or a test every address of the lab is a free port of 127.0.0.1 and clients
 * get this dial table; under `lab serve` a machine with address a.b.c.d listens on 127.b.c.d itself.
 */
export interface Network {
  /** Where to bind for lab address `ip:port`. Port 0 means any. */
  bindFor(ip: string, port: number): { host: string; port: number };
  /** A listener is up: `ip:port` of the lab is reached at this place of loopback. */
  up(ip: string, port: number, place: { host: string; port: number }): void;
  down(ip: string, port: number): void;
  /** Where a client finds lab address `ip:port`; `undefined`: nothing answers there. */
  dial(ip: string, port: number): { host: string; port: number } | undefined;
  /** Everything that is up, by `ip:port`. */
  places(): ReadonlyMap<string, { host: string; port: number }>;
}

/** Free ports of 127.0.0.1 and a dial table: runs never collide. */
export function privateNetwork(): Network {
  return new DialTable(() => ({ host: '127.0.0.1', port: 0 }));
}

/** Addresses that any program on this computer can use: a.b.c.d becomes 127.b.c.d, the port stays. */
export function publicNetwork(): Network {
  return new DialTable((ip, port) => ({ host: ip.replace(/^\d+\./, '127.'), port }));
}

class DialTable implements Network {
  readonly #places = new Map<string, { host: string; port: number }>();

  constructor(readonly bindFor: Network['bindFor']) {}

  up(ip: string, port: number, place: { host: string; port: number }): void {
    this.#places.set(`${ip}:${port}`, place);
  }

  down(ip: string, port: number): void {
    this.#places.delete(`${ip}:${port}`);
  }

  dial(ip: string, port: number): { host: string; port: number } | undefined {
    return this.#places.get(`${ip}:${port}`);
  }

  places(): ReadonlyMap<string, { host: string; port: number }> {
    return this.#places;
  }
}
