import {
  createSecureServer,
  type Http2SecureServer,
  type Http2ServerRequest,
  type Http2ServerResponse,
  type ServerHttp2Session,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { PeerCertificate, TLSSocket } from 'node:tls';
import { READER } from './rules.js';
import { type Alert, sendAlert } from './tls-alert.js';

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
  /** Connections by their two ports, while TLS owns them. */
  readonly #raw = new Map<string, Socket>();
  readonly #secrets = new WeakMap<TLSSocket, Buffer>();
  #closed = false;

  /** `now`: the machine's own clock, which client certificates are judged by. */
  constructor(tls: ListenerTls, handle: RequestHandler, now: () => number) {
    const mutual = tls.clientCa !== undefined;
    this.#server = createSecureServer({
      cert: tls.certificate,
      key: tls.key,
      minVersion: 'TLSv1.3',
      ALPNProtocols: ['h2'],
      ...(tls.clientCa === undefined
        ? {}
        : { ca: tls.clientCa, requestCert: true, rejectUnauthorized: false }),
    });
    this.#server.on('connection', (socket) => {
      const ports = portsOf(socket);
      this.#arriving.add(socket);
      this.#raw.set(ports, socket);
      socket.once('close', () => {
        this.#arriving.delete(socket);
        this.#raw.delete(ports);
      });
    });
    if (mutual) this.#judgeCertificates(now);
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
    this.#server.on('tlsClientError', () => {});
    this.#server.on('sessionError', () => {});
    this.#server.on('request', (request, response) => {
      const session = request.stream.session;
      handle(request, response, (session && this.#roles.get(session)) ?? new Set());
    });
  }

  /** Before HTTP/2 has the connection: a client without a proper certificate is sent away with an alert. */
  #judgeCertificates(now: () => number): void {
    this.#server.on('keylog', (line, socket) => {
      const [label, , secret = ''] = line.toString('latin1').trim().split(' ');
      if (label === 'SERVER_TRAFFIC_SECRET_0') this.#secrets.set(socket, Buffer.from(secret, 'hex'));
    });
    const serve = this.#server.listeners('secureConnection');
    this.#server.removeAllListeners('secureConnection');
    this.#server.on('secureConnection', (socket) => {
      const alert = refusal(socket, now());
      const secret = this.#secrets.get(socket);
      const raw = this.#raw.get(portsOf(socket));
      if (alert === undefined) for (const listener of serve) listener.call(this.#server, socket);
      else if (secret && raw) sendAlert(socket, raw, secret, alert);
      else socket.destroy();
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

function portsOf({ localPort, remotePort }: Pick<Socket, 'localPort' | 'remotePort'>): string {
  return `${localPort} ${remotePort}`;
}

/** In the order of Go's verification (crypto/x509, Certificate.Verify): dates, then the chain, then the usage. */
function refusal(socket: TLSSocket, now: number): Alert | undefined {
  const certificate = socket.getPeerCertificate(true);
  if (Object.keys(certificate).length === 0) return 'certificateRequired';
  if (!holdsAt(certificate, now)) return 'certificateExpired';
  // The clock of the machine decides about dates, not that of this process.
  const error = socket.authorizationError;
  const code = error === undefined ? '' : String(error);
  if (code === 'INVALID_PURPOSE') return 'badCertificate';
  if (!socket.authorized && !['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED'].includes(code)) return 'unknownCa';
  if (!holdsAt(certificate.issuerCertificate, now)) return 'certificateExpired';
  return certificateRoles(socket) ? undefined : 'badCertificate';
}

function holdsAt(certificate: PeerCertificate | undefined, now: number): boolean {
  if (!certificate) return true;
  return Date.parse(certificate.valid_from) <= now && now <= Date.parse(certificate.valid_to);
}
