/** Connections that can be cut or held all at once, as when the process at their end is killed or suspended. */
import { connect, createServer, type Server, type Socket } from 'node:net';

interface Target {
  readonly host: string;
  readonly port: number;
}

export class Relays {
  readonly #free: { readonly server: Server; readonly port: number }[] = [];
  readonly #servers: Server[] = [];
  /** Our port → where it leads. */
  readonly #targets = new Map<number, Target>();
  readonly #sockets = new Set<Socket>();
  /** Connects a socket with the other end of its relay. */
  readonly #peers = new WeakMap<Socket, (socket: Socket) => void>();
  cut = false;
  #held: Promise<void> | undefined;

  /** Ports are opened before they are needed: whoever dials does not wait. */
  static async open(ports: number): Promise<Relays> {
    const relays = new Relays();
    for (let count = 0; count < ports; count += 1) await relays.#listen();
    return relays;
  }

  /** A port of loopback that leads there. */
  to(host: string, port: number): number {
    for (const [own, target] of this.#targets) if (target.host === host && target.port === port) return own;
    const next = this.#free.pop();
    if (!next) throw new Error('all relays are in use: open more');
    this.#targets.set(next.port, { host, port });
    return next.port;
  }

  /** What was sent may have arrived; nothing more does, and no answer comes back. */
  sever(): void {
    this.cut = true;
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Nothing passes in either direction until then. `loses`: answers that came meanwhile never arrive. */
  hold(until: Promise<void>, loses: boolean): void {
    const sockets = [...this.#sockets];
    for (const socket of sockets) {
      socket.unpipe();
      socket.pause();
    }
    this.#held = until.then(() => {
      this.#held = undefined;
      for (const socket of sockets) {
        if (loses) socket.destroy();
        else this.#peers.get(socket)?.(socket);
      }
    });
  }

  close(): void {
    this.sever();
    for (const server of this.#servers) server.close();
  }

  async #listen(): Promise<void> {
    const server = createServer((socket) => this.#relay(socket, this.#targets.get(socket.localPort ?? 0)));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('a relay has no port');
    this.#servers.push(server);
    this.#free.push({ server, port: address.port });
  }

  async #relay(socket: Socket, target: Target | undefined): Promise<void> {
    // Held ones are not piped yet, and may end before they are.
    socket.on('error', () => socket.destroy());
    await this.#held;
    if (this.cut || !target) {
      socket.destroy();
      return;
    }
    const onward = connect(target.port, target.host);
    for (const [one, other] of [
      [socket, onward],
      [onward, socket],
    ] as const) {
      this.#sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        this.#sockets.delete(one);
        other.destroy();
      });
      const join = (from: Socket) => from.pipe(other);
      this.#peers.set(one, join);
      join(one);
    }
  }
}
