/** One endpoint: requests in, answers out, over kept connections. Knows nothing of retries. */
import { Pool } from 'undici';
import { NotSent } from '../../../model/write-gate.js';
import { atDeparture } from '../../at-departure.js';
import { readLimited, TooLarge } from '../../read-limited.js';
import type { Method, Params } from '../encode.js';
import { encodeParams } from '../encode.js';
import { ProxmoxError } from '../errors.js';
import {
  ConnectFailure,
  type Dial,
  inspectCertificate,
  pinLine,
  type TlsTrust,
  trustedConnector,
} from './tls.js';

/**
 * pveproxy serves 100 requests on a connection, closes it after an error, and after 5 s of idling. We are a little
 * earlier each time, so that no request meets a connection that is just being closed.
 */
const REQUESTS_PER_CONNECTION = 100;
const IDLE_MS = 3_000;

interface TransportOptions {
  readonly endpoint: string;
  readonly token: string;
  readonly trust: TlsTrust;
  readonly dial?: Dial;
  readonly connections: number;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  readonly onConnect?: () => void;
  /** One of several endpoints: each may have a certificate of its own. */
  readonly several: boolean;
}

export interface RawAnswer {
  readonly status: number;
  /** Proxmox puts its message here. */
  readonly reason: string;
  readonly body: string;
}

export interface Transport {
  readonly endpoint: string;
  /** Throws `NotSent` where `mayLeave` says no once there is a connection. */
  send(method: Method, path: string, params: Params, mayLeave?: () => boolean): Promise<RawAnswer>;
  close(): Promise<void>;
}

export function openTransport(options: TransportOptions): Transport {
  const pool = new Pool(options.endpoint, {
    connections: options.connections,
    pipelining: 1,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    // undici closes after one more than this number.
    maxRequestsPerClient: REQUESTS_PER_CONNECTION - 1,
    // Our own timer ends a request: undici's count in steps of a second.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: trustedConnector({
      trust: options.trust,
      connectTimeoutMs: options.connectTimeoutMs,
      ...(options.dial ? { dial: options.dial } : {}),
      ...(options.onConnect ? { onConnect: options.onConnect } : {}),
    }),
  });

  async function send(
    method: Method,
    path: string,
    params: Params,
    mayLeave?: () => boolean,
  ): Promise<RawAnswer> {
    const encoded = encodeParams(params);
    // A DELETE with a body is answered 501.
    const inQuery = method === 'GET' || method === 'DELETE';
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), options.requestTimeoutMs);
    try {
      const answer = await atDeparture(pool, mayLeave).request({
        method,
        path: `/api2/json${path}${inQuery && encoded ? `?${encoded}` : ''}`,
        headers: {
          accept: 'application/json',
          authorization: `PVEAPIToken=${options.token}`,
          ...(inQuery || !encoded ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        body: inQuery || !encoded ? null : encoded,
        signal: timeout.signal,
      });
      return { status: answer.statusCode, reason: answer.statusText, body: await readLimited(answer.body) };
    } catch (error) {
      if (error instanceof NotSent) throw error;
      throw await describe(error, method, path, timeout.signal.aborted);
    } finally {
      clearTimeout(timer);
    }
  }

  async function describe(
    error: unknown,
    method: Method,
    path: string,
    timedOut: boolean,
  ): Promise<ProxmoxError> {
    const where = `${method} ${path} at ${options.endpoint}`;
    if (error instanceof ConnectFailure) {
      return error.kind === 'certificate'
        ? notTrusted(error, where)
        : new ProxmoxError('proxmox.unreachable', `cannot connect to ${error.message}`, {
            where,
            cause: error,
            advice: 'Check proxmox.endpoint, the network and whether pveproxy runs on that host.',
          });
    }
    const mayHaveHappened = method !== 'GET';
    if (error instanceof TooLarge) {
      return new ProxmoxError('proxmox.answer', error.message, {
        where,
        mayHaveHappened,
        advice: 'Check that proxmox.endpoint names a Proxmox VE host and its API port, usually 8006.',
      });
    }
    const doubt = mayHaveHappened
      ? ' It may have succeeded nevertheless: run again, every step checks before it writes.'
      : '';
    if (timedOut) {
      return new ProxmoxError('proxmox.timeout', `no answer within ${options.requestTimeoutMs} ms`, {
        where,
        mayHaveHappened,
        advice: `Check the load of the host.${doubt}`,
      });
    }
    return new ProxmoxError('proxmox.dropped', 'the connection broke before the answer came', {
      where,
      cause: error,
      mayHaveHappened,
      advice: `Check the network and whether pveproxy was restarted.${doubt}`,
    });
  }

  /** A handshake that the system's check has refused shows no certificate: it is asked for again, and sent nothing. */
  async function notTrusted(error: ConnectFailure, where: string): Promise<ProxmoxError> {
    const { endpoint, dial, connectTimeoutMs: timeoutMs } = options;
    const presented =
      error.presented ??
      (await inspectCertificate(endpoint, { timeoutMs, ...(dial && { dial }) }).then(
        ({ fingerprint }) => fingerprint,
        () => undefined,
      ));
    const pin =
      presented === undefined
        ? 'see its fingerprint with: oxherd doctor'
        : `it presents ${presented}. If \`pvenode cert info\` on that host shows the same, write: ${pinLine(endpoint, presented, options.several)}`;
    return new ProxmoxError('proxmox.certificate', `${endpoint} is not trusted: ${error.message}`, {
      where,
      cause: error,
      advice: `Nothing was sent; ${pin} (or set proxmox.ca to the file of its CA)`,
    });
  }

  return { endpoint: options.endpoint, send, close: () => pool.destroy() };
}
