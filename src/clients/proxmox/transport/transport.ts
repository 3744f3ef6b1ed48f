/** One endpoint: requests in, answers out, over kept connections. Knows nothing of retries. */
import { Pool } from 'undici';
import { NotSent } from '../../../model/write-gate.js';
import { exchange, TimedOut } from '../../exchange.js';
import type { Method, Params } from '../encode.js';
import { encodeParams } from '../encode.js';
import { Lanes } from './lanes.js';
import { noAnswer } from './no-answer.js';
import { type Dial, type TlsTrust, trustedConnector } from './tls.js';

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

  const lanes = new Lanes(options.connections);

  async function send(
    method: Method,
    path: string,
    params: Params,
    mayLeave?: () => boolean,
  ): Promise<RawAnswer> {
    const encoded = encodeParams(params);
    // A DELETE with a body is answered 501.
    const inQuery = method === 'GET' || method === 'DELETE';
    const leave = await lanes.enter();
    const request = {
      method,
      path: `/api2/json${path}${inQuery && encoded ? `?${encoded}` : ''}`,
      headers: {
        accept: 'application/json',
        authorization: `PVEAPIToken=${options.token}`,
        ...(inQuery || !encoded ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: inQuery || !encoded ? null : encoded,
    };
    try {
      return await exchange(pool, request, { timeoutMs: options.requestTimeoutMs, mayLeave });
    } catch (error) {
      if (error instanceof NotSent) throw error;
      throw await noAnswer(options, error, method, path, error instanceof TimedOut);
    } finally {
      leave();
    }
  }

  return { endpoint: options.endpoint, send, close: () => pool.destroy() };
}
