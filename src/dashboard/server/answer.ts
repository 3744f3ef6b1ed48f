/** Answers of the server: JSON without secrets, files that are kept compressed, and headers that every answer has. */
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { gunzipSync, gzipSync } from 'node:zlib';
import { redactStrings, redactValues } from '../../formats/redact/redact-text.js';
import { OxherdError } from '../../model/error.js';
import type { ErrorView } from '../api.js';

/** Scripts and styles from here alone, nothing inline, no frame around it. */
const SECURITY_HEADERS: OutgoingHttpHeaders = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cache-control': 'no-store',
};

/** Smaller ones are not worth the work. */
const COMPRESS_FROM = 2_000;
const MOST_BODY = 64 * 1024;

/** JSON that is said to many: made and compressed once, where someone asks for it. Without secrets. */
export class JsonText {
  #text: string | undefined;
  #gzip: Buffer | undefined;

  constructor(private readonly make: () => string) {}

  get text(): string {
    this.#text ??= this.make();
    return this.#text;
  }

  get gzip(): Buffer {
    this.#gzip ??= compressed(this.text);
    return this.#gzip;
  }
}

function compressed(text: string): Buffer {
  return gzipSync(text, { level: 1 });
}

export interface Asset {
  readonly type: string;
  readonly gzip: Buffer;
}

export function headersOf(more: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
  return { ...SECURITY_HEADERS, ...more };
}

/** `values`: secrets of this process that must not leave it, whatever brought them along. */
export function sendJson(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: unknown,
  values: Iterable<string>,
  more: OutgoingHttpHeaders = {},
): void {
  const said = body instanceof JsonText ? body : jsonText(body, values);
  send(request, response, status, said, {
    'content-type': 'application/json; charset=utf-8',
    ...more,
  });
}

/** As JSON, without what looks like a secret and without the secrets that are known. */
export function jsonText(body: unknown, values: Iterable<string>): string {
  return redactValues(JSON.stringify(redactStrings(body)), values);
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  said: string | JsonText,
  headers: OutgoingHttpHeaders,
): void {
  const text = typeof said === 'string' ? said : said.text;
  const isLong = text.length >= COMPRESS_FROM && acceptsGzip(request);
  const packed = () => (typeof said === 'string' ? compressed(said) : said.gzip);
  const body = isLong ? packed() : Buffer.from(text);
  response.writeHead(
    status,
    headersOf({ ...headers, ...(isLong && { 'content-encoding': 'gzip' }), 'content-length': body.length }),
  );
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** As it lies in the package where the browser takes it so. */
export function sendAsset(request: IncomingMessage, response: ServerResponse, { type, gzip }: Asset): void {
  const packed = acceptsGzip(request);
  const body = packed ? gzip : gunzipSync(gzip);
  response.writeHead(
    200,
    headersOf({
      'content-type': type,
      ...(packed && { 'content-encoding': 'gzip' }),
      vary: 'accept-encoding',
      'content-length': body.length,
    }),
  );
  response.end(request.method === 'HEAD' ? undefined : body);
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b/.test(String(headers['accept-encoding'] ?? ''));
}

export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue;
    size += chunk.length;
    if (size > MOST_BODY) throw new OxherdError('ui.body', 'the request is too large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
  } catch {
    throw new OxherdError('ui.body', 'the request is not JSON');
  }
}

export function errorView(error: unknown): ErrorView {
  const { code, message, advice } = OxherdError.from(error);
  return { code, message, ...(advice !== undefined && { advice }) };
}
