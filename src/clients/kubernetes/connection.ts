import { isIP } from 'node:net';
import { checkServerIdentity, createSecureContext } from 'node:tls';
import { Agent, buildConnector, type Dispatcher } from 'undici';
import { OxherdError } from '../../model/error.js';
import { once } from '../../model/memoize.js';
import { throughGate, type WriteGate } from '../../model/write-gate.js';
import { atDeparture } from '../at-departure.js';
import { KubernetesError } from './errors.js';

export const KUBERNETES_API_PORT = 6443;

/** Where a client finds `ip:port`; `undefined`: nothing answers there. The lab gives its own. */
export type Dial = (ip: string, port: number) => { host: string; port: number } | undefined;

/** PEM text of the cluster's CA, and what proves who asks. */
export type KubernetesCredentials = CertificateCredentials | TokenCredentials;

/** PEM texts of a client certificate signed by the CA. */
interface CertificateCredentials {
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

interface TokenCredentials {
  readonly ca: string;
  /** Asked for each request: the token of a pod is replaced in its file every hour. */
  readonly token: () => string;
}

export interface ConnectionOptions {
  /** The VIP first, then each control plane: addresses or names, with a port where it is not 6443. */
  readonly endpoints: readonly string[];
  readonly credentials: KubernetesCredentials;
  /** Before every path: `/k8s/clusters/c-1` of a proxy that serves several API servers. */
  readonly basePath?: string;
  readonly dial?: Dial;
  /** To one API server, at most; 16 unless it is given. */
  readonly connections?: number;
  /** By the wall: the other end may never answer. */
  readonly connectTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
}

export interface Request {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  readonly contentType?: string;
  readonly accept?: string;
  /** May be sent again to another control plane when no one knows whether it was carried out. */
  readonly repeatable: boolean;
  /** The answer goes on: no time limit for its body. */
  readonly stream?: boolean;
  readonly signal?: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly body: Dispatcher.ResponseData['body'];
  readonly where: string;
}

const CONNECTIONS = 16;
const CONNECT_TIMEOUT = 5_000;
const REQUEST_TIMEOUT = 30_000;

export interface Sender {
  readonly endpoints: readonly string[];
  send(request: Request): Promise<Answer>;
  sendTo(endpoint: string, request: Request): Promise<Answer>;
  close(): Promise<void>;
}

/** HTTPS to whichever API server answers; the one that answered last is asked first. */
export class Connection implements Sender {
  readonly #agent: Agent;
  readonly #endpoints: string[];
  readonly #token: (() => string) | undefined;
  readonly #basePath: string;

  constructor(options: ConnectionOptions) {
    this.#endpoints = options.endpoints.map(withPort);
    this.#basePath = options.basePath ?? '';
    this.#token = 'token' in options.credentials ? options.credentials.token : undefined;
    const { connectTimeoutMs = CONNECT_TIMEOUT, requestTimeoutMs = REQUEST_TIMEOUT } = options;
    this.#agent = new Agent({
      connect: connectorFor(options, connectTimeoutMs),
      headersTimeout: requestTimeoutMs,
      bodyTimeout: requestTimeoutMs,
      connections: options.connections ?? CONNECTIONS,
    });
  }

  get endpoints(): readonly string[] {
    return this.#endpoints;
  }

  /** The same connections; what is not a GET passes the gate, each time it is sent. */
  behind(gate: WriteGate): Sender {
    return {
      endpoints: this.endpoints,
      send: (request) => this.send(request, gate),
      sendTo: (endpoint, request) => this.sendTo(endpoint, request, gate),
      close: () => this.close(),
    };
  }

  async send(request: Request, gate?: WriteGate): Promise<Answer> {
    const failures: unknown[] = [];
    for (const endpoint of [...this.#endpoints]) {
      try {
        const answer = await this.sendTo(endpoint, request, gate);
        // A server without its etcd answers 500 to everything: another may be better off.
        if (answer.status >= 500 && request.repeatable && endpoint !== this.#endpoints.at(-1)) {
          failures.push(new Error(`${endpoint} answers ${answer.status}`));
          await answer.body.dump();
          continue;
        }
        this.#prefer(endpoint);
        return answer;
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        // The gate's own word: no other server changes it.
        if (error instanceof OxherdError) throw error;
        failures.push(error);
        if (!request.repeatable && !isConnectFailure(error)) break;
      }
    }
    throw unreachable(this.#endpoints, failures);
  }

  async sendTo(endpoint: string, request: Request, gate?: WriteGate): Promise<Answer> {
    const passes = request.method === 'GET' ? undefined : gate;
    return throughGate(passes, (mayLeave) => this.#sendTo(endpoint, request, mayLeave), isConnectFailure);
  }

  async #sendTo(endpoint: string, request: Request, mayLeave: (() => boolean) | undefined): Promise<Answer> {
    const answer = await atDeparture(this.#agent, mayLeave).request({
      origin: `https://${withPort(endpoint)}`,
      path: `${this.#basePath}${request.path}`,
      method: request.method,
      headers: {
        accept: request.accept ?? 'application/json',
        'user-agent': 'oxherd',
        ...(this.#token && { authorization: `Bearer ${this.#token()}` }),
        ...(request.body === undefined ? {} : { 'content-type': request.contentType ?? 'application/json' }),
      },
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.signal ? { signal: request.signal } : {}),
      ...(request.stream ? { bodyTimeout: 0 } : {}),
    });
    return { status: answer.statusCode, body: answer.body, where: endpoint };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  #prefer(endpoint: string): void {
    const index = this.#endpoints.indexOf(endpoint);
    if (index > 0) this.#endpoints.unshift(...this.#endpoints.splice(index, 1));
  }
}

export function withPort(endpoint: string): string {
  const bare = endpoint.replace(/^https:\/\//, '').replace(/\/+$/, '');
  if (isIP(bare) === 6) return `[${bare}]:${KUBERNETES_API_PORT}`;
  return /:\d+$/.test(bare) ? bare : `${bare}:${KUBERNETES_API_PORT}`;
}

function connectorFor(options: ConnectionOptions, timeout: number): buildConnector.connector {
  const { credentials, dial } = options;
  // Read once for all connections: keys and certificates cost more than the handshake.
  const secureContext = once(() =>
    createSecureContext({
      ca: credentials.ca,
      ...('certificate' in credentials && {
        cert: credentials.certificate,
        // Talos labels PKCS#8 Ed25519 keys in its own way; OpenSSL knows the same bytes as `PRIVATE KEY`.
        key: credentials.key.replaceAll('ED25519 PRIVATE KEY', 'PRIVATE KEY'),
      }),
    }),
  );
  return (target, callback) => {
    const port = Number(target.port || 443);
    const host = target.hostname.replace(/^\[|\]$/g, '');
    const place = dial ? dial(host, port) : { host, port };
    if (!place) {
      callback(new ConnectFailure(`no answer from ${host}:${port}`), null);
      return;
    }
    const connect = buildConnector({
      timeout,
      secureContext: secureContext(),
      // Through a dial table the host is loopback; the certificate must be for the machine's own address.
      checkServerIdentity: (_, certificate) => checkServerIdentity(host, certificate),
    });
    connect(
      {
        ...target,
        hostname: place.host,
        port: String(place.port),
        ...(isIP(host) ? {} : { servername: host }),
      },
      (...[error, socket]) => {
        if (error) callback(new ConnectFailure(error.message, error), null);
        else callback(null, socket);
      },
    );
  };
}

/** The connection was not made: nothing was sent over it. */
class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
  readonly code = 'OXHERD_CONNECT';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
  }
}

function isConnectFailure(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'OXHERD_CONNECT';
}

/** OpenSSL's verification errors as Node names them. */
const CERTIFICATE = /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE))/;

function unreachable(endpoints: readonly string[], failures: readonly unknown[]): KubernetesError {
  const [first] = failures;
  const untrusted = failures.length > 0 && failures.every((failure) => CERTIFICATE.test(deepCode(failure)));
  const why = first instanceof Error ? first.message : String(first);
  const where = endpoints.join(', ');
  return untrusted
    ? new KubernetesError('kubernetes.untrusted', `the API server is not this cluster’s: ${why}`, {
        where,
        cause: first,
      })
    : new KubernetesError('kubernetes.unreachable', `no API server answers at ${where}: ${why}`, {
        where,
        cause: first,
      });
}

function deepCode(error: unknown): string {
  let current: unknown = error;
  let code = '';
  while (current instanceof Error) {
    if ('code' in current && typeof current.code === 'string') code = current.code;
    current = current.cause;
  }
  return code;
}
