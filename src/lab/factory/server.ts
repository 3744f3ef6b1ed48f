import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Network } from '../network.js';
import type { Factory } from './factory.js';
import { installManifest, MANIFEST_HOSTS } from './manifests.js';

/** Where people's configs say the factory is; in the lab its name leads to loopback. */
const FACTORY_HOST = 'factory.talos.dev';
const PORT = 443;
/** Names that lead here: one listener stands for all of the internet that the lab has. */
const PLACES = [FACTORY_HOST, ...MANIFEST_HOSTS].map((name) => ({ name, port: PORT }));
const LIMIT = 1024 * 1024;

/** The factory's HTTP API on a free port of loopback, plain: the dial table leads there. */
export async function serveFactory(
  factory: Factory,
  network: Network,
  /** Factories of other names, by their URLs. */
  more: readonly string[] = [],
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(factory, request, response).catch((error: unknown) => {
      send(response, 400, 'text/plain', error instanceof Error ? error.message : String(error));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const port = portOf(server);
  const places = [...PLACES, ...more.map(placeOf)];
  for (const place of places) network.up(place.name, place.port, { host: '127.0.0.1', port });
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      for (const place of places) network.down(place.name, place.port);
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function placeOf(text: string): { name: string; port: number } {
  const { hostname: name, port, protocol } = new URL(text);
  return { name, port: port === '' ? (protocol === 'http:' ? 80 : PORT) : Number(port) };
}

async function answer(factory: Factory, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  const { method = 'GET' } = request;
  if (method === 'POST' && path === '/schematics') {
    const id = factory.register(await readText(request));
    json(response, 201, { id });
    return;
  }
  if (method === 'GET' && path === '/versions') return json(response, 200, factory.versions());
  const version = /^\/version\/([^/]+)\/extensions\/official$/.exec(path)?.[1];
  const extensions = version === undefined ? undefined : factory.officialExtensions(version);
  if (method === 'GET' && extensions) {
    return json(
      response,
      200,
      extensions.map((name) => ({
        name,
        ref: `ghcr.io/${name}:${version}`,
        digest: '',
        author: '',
        description: '',
      })),
    );
  }
  const manifest = method === 'GET' ? installManifest(path) : undefined;
  if (manifest !== undefined) return send(response, 200, 'text/yaml', manifest);
  const file = factory.file(path);
  if ((method === 'GET' || method === 'HEAD') && file) {
    // The images are described, not made: there are no bytes to give.
    const status = file.status === 200 && method === 'GET' ? 501 : file.status;
    response.writeHead(status, {
      'content-type': file.contentType,
      'content-length': method === 'HEAD' ? file.size : 0,
    });
    response.end();
    return;
  }
  send(response, 404, 'text/plain', 'Not Found\n');
}

async function readText(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of request) {
    length += piece.length;
    if (length > LIMIT) throw new Error('request body too large');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function json(response: ServerResponse, status: number, body: unknown): void {
  send(response, status, 'application/json', JSON.stringify(body));
}

function send(response: ServerResponse, status: number, contentType: string, body: string): void {
  response.writeHead(status, { 'content-type': contentType }).end(body);
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the factory has no port');
  return address.port;
}
