import { connect, createServer, type Socket } from 'node:net';
import type { LabClock } from '../../clock.js';
import type { Network } from '../../network.js';
import type { Door } from '../cluster.js';

/** Wall milliseconds without a byte after which the API and its watchers have had their say. */
const QUIET = 20;

/**
 * Lab time stands still while clients and the API server talk: what a request changed reaches the controllers by a
 * watch a moment later, and no lab time may pass in between.
 */
export class TalkTime {
  #quiet: NodeJS.Timeout | undefined;
  #resolve: (() => void) | undefined;

  constructor(private readonly clock: LabClock) {}

  heard(): void {
    if (!this.#resolve) {
      this.clock.hold(
        new Promise<void>((resolve) => {
          this.#resolve = resolve;
        }),
      );
    }
    clearTimeout(this.#quiet);
    this.#quiet = setTimeout(() => this.end(), QUIET);
  }

  end(): void {
    clearTimeout(this.#quiet);
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.();
  }
}

/** An address of the lab whose port is the real API server's; closed, connections are cut and refused. */
export async function passThrough(
  network: Network,
  { ip, port }: { ip: string; port: number },
  target: number,
  talk: TalkTime,
): Promise<Door> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    const api = connect({ host: '127.0.0.1', port: target });
    for (const [from, to] of [
      [client, api],
      [api, client],
    ] as const) {
      keep(from);
      from.setNoDelay(true);
      from.on('data', () => talk.heard());
      from.on('error', () => to.destroy());
      from.once('close', () => to.destroy());
      from.pipe(to);
    }
  });
  const bind = network.bindFor(ip, port);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(bind.port, bind.host, resolve);
  });
  const address = server.address();
  network.up(ip, port, { host: bind.host, port: typeof address === 'object' && address ? address.port : 0 });
  return {
    close() {
      network.down(ip, port);
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
