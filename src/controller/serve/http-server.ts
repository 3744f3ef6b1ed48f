/** Health and metrics, each on a port of its own: what a kubelet asks needs no one else. */
import { createServer, type Server } from 'node:http';

interface Answering {
  readonly port: number;
  close(): Promise<void>;
}

interface Reply {
  readonly status: number;
  readonly type?: string;
  readonly body: string;
}

/** Paths → what they answer; everything else is not found. */
export async function serveText(
  listen: { readonly host: string; readonly port: number },
  paths: Readonly<Record<string, () => Reply>>,
): Promise<Answering> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '/').split('?', 1)[0] ?? '/';
    const reply = request.method === 'GET' ? paths[path]?.() : undefined;
    const {
      status,
      type = 'text/plain; charset=utf-8',
      body,
    } = reply ?? { status: 404, body: 'not found\n' };
    response.writeHead(status, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(body);
  });
  server.requestTimeout = 10_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listen.port, listen.host, resolve);
  });
  return { port: portOf(server), close: () => closed(server) };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function closed(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

export function healthReply(good: boolean): Reply {
  return good ? { status: 200, body: 'ok\n' } : { status: 503, body: 'not ready\n' };
}
