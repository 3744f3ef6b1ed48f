import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { Socket } from 'node:net';
import type { CertificateAndKey } from '../certificates.js';

interface KubeletsOptions {
  readonly serving: CertificateAndKey;
  /** PEM of the authority whose clients are let in: the API server. */
  readonly authority: string;
  /** Whether the kubelet of the machine with this address runs. */
  readonly runs: (ip: string) => boolean;
  /** What the containers of a pod printed; `undefined`: there is no such pod. */
  readonly logs: (namespace: string, pod: string) => string | undefined;
}

export interface Kubelets {
  /** Where the API server asks for a way to a node. */
  readonly port: number;
  close(): Promise<void>;
}

/**
 * The kubelets' own ports, as far as an API server needs them: it asks for logs there. It finds them through a proxy
 * (its egress selector), since the machines' addresses exist in the lab only.
 */
export async function startKubelets({ serving, authority, runs, logs }: KubeletsOptions): Promise<Kubelets> {
  const keys = { cert: serving.certificate, key: serving.key };
  const kubelet = createServer(keys, (request, response) => answer(request, response, logs));
  const sockets = new Set<Socket>();
  const proxy = createServer({ ...keys, ca: [authority], requestCert: true, rejectUnauthorized: true });
  proxy.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  proxy.on('connect', (request, socket: Socket) => {
    socket.on('error', () => {});
    const ip = (request.url ?? '').replace(/:\d+$/, '');
    if (!runs(ip)) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    kubelet.emit('connection', socket);
  });
  await new Promise<void>((resolve, reject) => {
    proxy.once('error', reject);
    proxy.listen(0, '127.0.0.1', resolve);
  });
  const address = proxy.address();
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => proxy.close(() => resolve()));
    },
  };
}

/** `/containerLogs/NAMESPACE/POD/CONTAINER`; anything else a kubelet can do is not there. */
function answer(request: IncomingMessage, response: ServerResponse, logs: KubeletsOptions['logs']): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://kubelet');
  const [, namespace, pod] =
    /^\/containerLogs\/([^/]+)\/([^/]+)\/[^/]+$/.exec(decodeURIComponent(pathname)) ?? [];
  const text = namespace === undefined || pod === undefined ? undefined : logs(namespace, pod);
  if (text === undefined) {
    response.writeHead(404).end('the lab has no such thing\n');
    return;
  }
  const lines = Number(searchParams.get('tailLines') ?? Number.NaN);
  const shown = Number.isNaN(lines)
    ? text
    : text
        .split('\n')
        .slice(-lines - 1)
        .join('\n');
  response.writeHead(200, { 'content-type': 'text/plain' }).end(shown);
}
