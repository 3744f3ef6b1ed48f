/** The HTTPS side of one host's API (pve-http-server): connections, headers, bodies. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { Unauthorized } from '../access/authenticate.js';
import type { RequestRecorder } from '../recorder.js';
import { type Answer, emptyAnswer, plainAnswer, reasonPhrase } from './answer.js';
import { dispatch, identify, type PveRequest, type Site, unauthorized } from './dispatch.js';
import { isUpload, upload } from './receive-upload.js';
import { mediaType, pathText } from './request-parameters.js';

const REQUESTS_PER_CONNECTION = 100;
const IDLE = 5_000;
const LARGEST_BODY = 512 * 1024;
const METHODS = new Set(['GET', 'POST', 'PUT', 'DELETE']);

interface ListenerOptions {
  readonly site: Site;
  readonly host: string;
  readonly key: string;
  readonly certificate: string;
  readonly recorder: RequestRecorder;
  /** Wall-clock milliseconds that every request takes on its way. */
  readonly latency: number;
}

export class Listener {
  readonly #server: Server;
  readonly #sockets = new Map<Socket, number>();

  constructor(private readonly options: ListenerOptions) {
    this.#server = createServer({ key: options.key, cert: options.certificate, minVersion: 'TLSv1.2' });
    this.#server.keepAliveTimeout = IDLE;
    this.#server.requestTimeout = 0;
    this.#server.on('connection', (socket) => {
      if (this.#down()) socket.destroy();
    });
    this.#server.on('secureConnection', (socket) => {
      options.recorder.connected();
      this.#sockets.set(socket, 0);
      socket.on('close', () => this.#sockets.delete(socket));
      // A client that resets its connection is no concern of the server's.
      socket.on('error', () => socket.destroy());
    });
    this.#server.on('tlsClientError', (_error, socket) => socket.destroy());
    this.#server.on('request', (request, response) => {
      this.#handle(request, response).catch((error: unknown) => {
        // A client that goes away while it sends its body is no fault of ours.
        if (!request.socket.destroyed) options.site.onBug(error, readRequest(request, options.host));
        request.socket.destroy();
      });
    });
  }

  /** Loopback only. */
  listen(port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, '127.0.0.1', () => {
        const address = this.#server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets.keys()) socket.destroy();
    });
  }

  #down(): boolean {
    return this.options.site.pve.core.faults.holds('host-down', this.options.host);
  }

  async #handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { faults } = this.options.site.pve.core;
    if (this.options.latency > 0) await wait(this.options.latency);
    const request = readRequest(message, this.options.host);
    this.options.recorder.received(request.method, request.path);
    const subjects = [`${request.method} ${request.path}`, this.options.host];
    if (this.#down() || faults.strikes('drop-before', ...subjects)) {
      message.socket.destroy();
      return;
    }
    // The client gives up by itself, or the lab is stopped.
    if (faults.strikes('api-timeout', ...subjects)) return;
    const answer = await this.#answer(message, request);
    this.options.recorder.answered(answer.status);
    if (faults.strikes('drop-after', ...subjects)) message.socket.destroy();
    else this.#send(message, response, answer);
  }

  async #answer(message: IncomingMessage, request: PveRequest): Promise<Answer> {
    const { site } = this.options;
    const { method, headers } = message;
    if (!METHODS.has(request.method)) return emptyAnswer(501, `method '${request.method}' not available`);
    const encoding = headers['transfer-encoding'];
    if (encoding?.toLowerCase() === 'chunked') {
      return plainAnswer(501, 'chunked transfer encoding not supported');
    }
    const [, format, path = ''] = /^\/api2\/([a-z][a-z0-9]+)(\/.*)?$/.exec(pathOf(message)) ?? [];
    if (!pathOf(message).startsWith('/api2')) return plainAnswer(500, `no such file '${pathOf(message)}'\n`);
    if (format === undefined) return plainAnswer(501, 'no such uri');
    try {
      const sender = identify(site, request);
      const length = Number(headers['content-length'] ?? 0);
      if (length > 0 && method !== 'PUT' && method !== 'POST') {
        return plainAnswer(501, `Unexpected content for method '${method}'`);
      }
      if (isUpload(request)) return await upload(site, request, sender, message);
      if (length > LARGEST_BODY) return plainAnswer(501, 'for data too large');
      const type = headers['content-type'];
      if (length > 0 && !readableType(type)) {
        return plainAnswer(506, `upload 'Content-Type '${type}' not implemented`);
      }
      if (format !== 'json') return plainAnswer(501, `no formatter for uri ${path}, ${format}`);
      return await dispatch(site, request, sender, await readBody(message));
    } catch (error) {
      if (error instanceof Unauthorized) return unauthorized(site, error);
      throw error;
    }
  }

  #send(message: IncomingMessage, response: ServerResponse, answer: Answer): void {
    const { socket } = message;
    if (socket.destroyed) return;
    const served = (this.#sockets.get(socket) ?? 0) + 1;
    this.#sockets.set(socket, served);
    const body = Buffer.from(answer.body, 'utf8');
    // Node has set it to what the client wants.
    if (answer.status >= 400 || served >= REQUESTS_PER_CONNECTION) response.shouldKeepAlive = false;
    response.writeHead(answer.status, reasonPhrase(answer.reason), {
      server: 'pve-api-daemon/3.0',
      'cache-control': 'max-age=0',
      pragma: 'no-cache',
      ...(answer.contentType && { 'content-type': answer.contentType }),
      'content-length': body.length,
      connection: response.shouldKeepAlive ? 'Keep-Alive' : 'close',
    });
    // As bytes: with text, Node would write the status line in the body's encoding.
    response.end(body);
    // What was not read (a body that is too large) goes with the connection.
    if (!message.complete) message.resume();
  }
}

function pathOf(message: IncomingMessage): string {
  return pathText((message.url ?? '/').split('?', 1)[0] ?? '/');
}

function readRequest(message: IncomingMessage, host: string): PveRequest {
  const url = message.url ?? '/';
  const mark = url.indexOf('?');
  return {
    host,
    method: message.method ?? '',
    path: pathOf(message).replace(/^\/api2\/[a-z][a-z0-9]+/, '') || '/',
    query: mark < 0 ? '' : url.slice(mark + 1),
    headers: message.headers,
  };
}

function readableType(type: string | undefined): boolean {
  const name = mediaType(type);
  return name === '' || name === 'application/x-www-form-urlencoded' || name === 'application/json';
}

async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
