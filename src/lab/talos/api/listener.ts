import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { READER } from './rules.js';

/** What a machine's API listens with. */
export interface ListenerTls {
  readonly certificate: string;
  readonly key: string;
  /** Client certificates must be signed by it; absent in maintenance mode, where none is asked for. */
  readonly clientCa?: string;
}

export type RequestHandler = (
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  roles: ReadonlySet<string>,
) => void;

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
/** How long answers that are on their way may take when a machine goes down by itself. */
const GRACE_MS = 200;

/** One machine's HTTP/2 server. */
export class Listener {
  readonly #server: Http2SecureServer;
  readonly #sessions = new Set<ServerHttp2Session>();
  readonly #roles = new WeakMap<object, ReadonlySet<string>>();
  /** Connections that have not become sessions yet. */
  readonly #arriving = new Set<Socket>();
  #closed = false;

  constructor(tls: ListenerTls, handle: RequestHandler) {
    const mutual = tls.clientCa !== undefined;
    this.#server = createSecureServer({
      cert: tls.certificate,
      key: tls.key,
      minVersion: 'TLSv1.3',
      ALPNProtocols: ['h2'],
      ...(tls.clientCa === undefined
        ? {}
        : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: true }),
    });
    this.#server.on('connection', (socket) => {
      this.#arriving.add(socket);
      socket.once('close', () => this.#arriving.delete(socket));
    });
    this.#server.on('session', (session) => {
      // A handshake that ends after the machine went down leads nowhere.
      if (this.#closed) {
        session.destroy();
        return;
      }
      const roles = mutual ? certificateRoles(session.socket as TLSSocket) : new Set([READER]);
      if (!roles) {
        session.destroy();
        return;
      }
      this.#roles.set(session, roles);
      this.#sessions.add(session);
      session.on('close', () => this.#sessions.delete(session));
      session.on('error', () => {});
    });
    // Clients without a proper certificate are sent away by TLS; there is no one to tell.
    this.#server.on('tlsClientError', () => {});
    this.#server.on('sessionError', () => {});
    this.#server.on('request', (request, response) => {
      const session = request.stream.session;
      handle(request, response, (session && this.#roles.get(session)) ?? new Set());
    });
  }

  listen(place: { host: string; port: number }): Promise<{ host: string; port: number }> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(place.port, place.host, () => {
        this.#server.off('error', reject);
        this.#server.on('error', () => {});
        resolve({ host: place.host, port: (this.#server.address() as AddressInfo).port });
      });
    });
  }

  /** Another certificate for new connections; those that are open stay, as apid keeps them. */
  renew(tls: ListenerTls): void {
    this.#server.setSecureContext({
      cert: tls.certificate,
      key: tls.key,
      minVersion: 'TLSv1.3',
      ...(tls.clientCa === undefined ? {} : { ca: tls.clientCa }),
    });
  }

  /** A connection that came in at another address of the machine. */
  accept(socket: Socket): void {
    this.#server.emit('connection', socket);
  }

  close(options: { atOnce: boolean }): void {
    this.#closed = true;
    this.#server.close();
    if (options.atOnce) for (const socket of this.#arriving) socket.destroy();
    for (const session of this.#sessions) {
      if (options.atOnce) session.destroy();
      else session.close();
    }
    if (!options.atOnce) {
      setTimeout(() => {
        for (const session of this.#sessions) session.destroy();
      }, GRACE_MS).unref();
    }
  }
}

/** The O values of a certificate whose only extended usage is client authentication; `undefined`: refused. */
function certificateRoles(socket: Pick<TLSSocket, 'getPeerCertificate'>): ReadonlySet<string> | undefined {
  const certificate = socket.getPeerCertificate();
  const usages = certificate.ext_key_usage ?? [];
  if (usages.length !== 1 || usages[0] !== CLIENT_AUTH) return undefined;
  const organizations: unknown = certificate.subject?.O;
  return new Set(
    Array.isArray(organizations) ? organizations.map(String) : organizations ? [String(organizations)] : [],
  );
}
