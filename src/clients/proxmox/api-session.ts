/** Requests to one Proxmox cluster: over the endpoint that answers, within the limits, again where that is safe. */

import { redactText } from '../../formats/redact/redact-text.js';
import { isMapping } from '../../formats/text/mapping.js';
import type { Clock } from '../../model/clock.js';
import { NotSent, throughGate, type WriteGate } from '../../model/write-gate.js';
import { type Asked, refused } from './classify.js';
import type { Json } from './decode.js';
import { hostOfPath, type Method, type Params } from './encode.js';
import { ProxmoxError } from './errors.js';
import { Endpoints } from './transport/endpoints.js';
import { KeyedLimit } from './transport/limits.js';
import { DEFAULT_RETRY, mayRepeat, pauseBefore, type RetryPolicy } from './transport/retry.js';
import type { Dial, TlsTrust } from './transport/tls.js';
import { openTransport, type RawAnswer, type Transport } from './transport/transport.js';

export interface ConnectOptions {
  /** `https://host:8006`, at least one; the first that answers is used. */
  readonly endpoints: readonly string[];
  /** `user@realm!id=secret` */
  readonly token: string;
  /** How an endpoint is checked that has no fingerprint of its own. */
  readonly tls: TlsTrust;
  /** SHA-256 of the certificates of single endpoints, by the endpoint as it is given. */
  readonly fingerprints?: Readonly<Record<string, string>>;
  /** Pauses between attempts and polls pass on this clock; request time-outs on the wall's. */
  readonly clock: Clock;
  /** In [0, 1), for jitter. */
  readonly random: () => number;
  readonly limits?: {
    /** Requests at a time to one Proxmox host. */
    readonly perHost?: number;
    /** Disks being made, copied or downloaded at a time on one storage of one host. */
    readonly diskOperationsPerStorage?: number;
  };
  readonly requestTimeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly retry?: RetryPolicy;
  /** Waited for before each request: others may ask the same Proxmox through a common limit. */
  readonly pace?: () => Promise<void>;
  /** No request is repeated and no pause begun once it is aborted; what is on its way is finished. */
  readonly signal?: AbortSignal;
  /** After every attempt. No headers, no parameters: they may hold secrets. */
  readonly onRequest?: (request: RequestRecord) => void;
  readonly onConnect?: (endpoint: string) => void;
  readonly dial?: Dial;
}

export interface RequestRecord {
  readonly method: Method;
  /** Without parameters. */
  readonly path: string;
  readonly endpoint: string;
  readonly attempt: number;
  /** HTTP status, or the error's code where there was no answer. */
  readonly status: number | string;
  readonly ms: number;
}

export interface Answer {
  readonly data: unknown;
  /** Lines there are in all, where a list is given in parts. */
  readonly total: number | undefined;
}

export interface ApiSession {
  readonly endpoints: readonly string[];
  /** `user@realm!id` */
  readonly tokenId: string;
  readonly clock: Clock;
  request(method: Method, path: string, params?: Params): Promise<Answer>;
  /** The same session; what is not a GET passes the gate, each time it is sent. */
  behind(gate: WriteGate): ApiSession;
  close(): Promise<void>;
}

const DEFAULT_REQUESTS_PER_HOST = 8;

export function openApiSession(options: ConnectOptions): ApiSession {
  const token = parseToken(options.token);
  const perHost = new KeyedLimit(options.limits?.perHost ?? DEFAULT_REQUESTS_PER_HOST);
  const endpoints = openEndpoints(options, token, perHost);
  const repeated = { options, endpoints, policy: options.retry ?? DEFAULT_RETRY };
  const session = (gate?: WriteGate): ApiSession => ({
    endpoints: options.endpoints,
    tokenId: token.id,
    clock: options.clock,
    request(method, path, params = {}) {
      const asked: ApiRequest = { method, path, params };
      const passes = method === 'GET' ? undefined : gate;
      return untilAnswered(repeated, asked, async (transport, number) => {
        await options.pace?.();
        // Inside: how long it waited for its turn counts.
        return throughGate(
          passes,
          (mayLeave) =>
            perHost.run(hostOfPath(path), () => attempt(options, token, transport, number, asked, mayLeave)),
          (error) => error instanceof ProxmoxError && !error.mayHaveHappened,
        );
      });
    },
    behind: (next) => session(next),
    close: () => endpoints.close(),
  });
  return session();
}

interface Token {
  /** `user@realm!id` */
  readonly id: string;
  readonly secret: string;
}

interface ApiRequest {
  readonly method: Method;
  readonly path: string;
  readonly params: Params;
}

function openEndpoints(options: ConnectOptions, token: Token, perHost: KeyedLimit): Endpoints {
  const transports = options.endpoints.map((endpoint) =>
    openTransport({
      endpoint: checkEndpoint(endpoint),
      token: `${token.id}=${token.secret}`,
      trust: trustIn(options, endpoint),
      several: options.endpoints.length > 1,
      // Requests for other hosts go through this one too.
      connections: 2 * perHost.limit,
      connectTimeoutMs: options.connectTimeoutMs ?? 5_000,
      requestTimeoutMs: options.requestTimeoutMs ?? 60_000,
      ...(options.dial ? { dial: options.dial } : {}),
      ...(options.onConnect ? { onConnect: () => options.onConnect?.(endpoint) } : {}),
    }),
  );
  return new Endpoints(transports, options.clock);
}

/** Sends it to one endpoint after another, and again after a pause where that is safe. */
async function untilAnswered(
  {
    options,
    endpoints,
    policy,
  }: { readonly options: ConnectOptions; readonly endpoints: Endpoints; readonly policy: RetryPolicy },
  { method }: ApiRequest,
  send: (transport: Transport, number: number) => Promise<Answer>,
): Promise<Answer> {
  for (let number = 1; ; number += 1) {
    const tried = new Set<Transport>();
    let failure: ProxmoxError | undefined;
    // Every endpoint has its turn before we pause: what was not connected to was not sent either.
    do {
      const transport = endpoints.pick(tried);
      tried.add(transport);
      try {
        const answer = await send(transport, number);
        endpoints.answered(transport);
        return answer;
      } catch (error) {
        if (!(error instanceof ProxmoxError)) throw error;
        failure = error;
        if (error.code === 'proxmox.unreachable' || error.code === 'proxmox.timeout') {
          endpoints.avoid(transport);
        }
      }
    } while (failure.code === 'proxmox.unreachable' && tried.size < endpoints.size);
    if (options.signal?.aborted || !mayRepeat(failure, method, number, policy)) throw failure;
    await options.clock.sleep(pauseBefore(number, policy, options.random), options.signal);
  }
}

async function attempt(
  { onRequest }: ConnectOptions,
  { id: tokenId, secret }: Token,
  transport: Transport,
  number: number,
  { method, path, params }: ApiRequest,
  mayLeave: (() => boolean) | undefined,
): Promise<Answer> {
  const { endpoint } = transport;
  const started = performance.now();
  const record = (status: number | string) =>
    onRequest?.({ method, path, endpoint, attempt: number, status, ms: performance.now() - started });
  let raw: RawAnswer;
  try {
    raw = await transport.send(method, path, params, mayLeave);
  } catch (error) {
    if (error instanceof NotSent) throw error;
    record(error instanceof ProxmoxError ? error.code : 'unexpected');
    throw error;
  }
  record(raw.status);
  return readAnswer(raw, { method, path, endpoint, tokenId }, secret);
}

/** How the certificate of one endpoint is checked. */
export function trustIn(
  { tls, fingerprints }: Pick<ConnectOptions, 'tls' | 'fingerprints'>,
  endpoint: string,
): TlsTrust {
  const sha256 = fingerprints?.[endpoint];
  return sha256 === undefined ? tls : { kind: 'fingerprint', sha256 };
}

function parseToken(text: string): Token {
  const match = /^(?:PVEAPIToken=)?([^\s@!=]+@[^\s@!=]+![A-Za-z][\w.-]+)=([0-9A-Za-z-]+)$/.exec(text.trim());
  if (!match?.[1] || !match[2]) {
    // The text itself may be a secret in the wrong place: it is not shown.
    throw new ProxmoxError(
      'proxmox.token-format',
      'the Proxmox token does not look like user@realm!id=secret',
      {
        advice:
          'Make one with `pveum user token add USER@REALM ID` and write its full-tokenid, "=" and value.',
      },
    );
  }
  return { id: match[1], secret: match[2] };
}

function checkEndpoint(endpoint: string): string {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  if (url?.protocol !== 'https:')
    throw new RangeError(`a Proxmox endpoint is https://host:port, not ${endpoint}`);
  return url.origin;
}

function readAnswer(raw: RawAnswer, asked: Asked, secret: string): Answer {
  const body = parseBody(raw, asked);
  if (raw.status >= 200 && raw.status < 300) {
    return { data: body.data, total: typeof body.total === 'number' ? body.total : undefined };
  }
  const text = typeof body.message === 'string' && body.message.trim() ? body.message : raw.reason;
  const errors = readErrors(body.errors, secret);
  throw refused(
    { status: raw.status, message: redactText(text.trim(), [secret]), ...(errors ? { errors } : {}) },
    asked,
  );
}

function parseBody(raw: RawAnswer, asked: Asked): Json {
  // 401 and 59x have no body, or not ours.
  try {
    const body: unknown = JSON.parse(raw.body);
    if (isMapping(body)) return body;
  } catch {}
  if (raw.status >= 400) return {};
  throw new ProxmoxError('proxmox.answer', `${asked.endpoint} answers, but not as the Proxmox API does`, {
    where: `${asked.method} ${asked.path} at ${asked.endpoint}`,
    status: raw.status,
    advice: 'Check that proxmox.endpoint names a Proxmox VE host and its API port, usually 8006.',
  });
}

function readErrors(value: unknown, secret: string): Record<string, string> | undefined {
  if (!isMapping(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, text]) => [name, redactText(String(text), [secret])]),
  );
}
