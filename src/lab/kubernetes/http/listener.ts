import { createServer, type Server as HttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Network } from '../../network.js';
import type { CertificateAndKey } from '../certificates.js';
import { handle } from './handler.js';
import type { Server } from './server.js';

export interface Listener {
  readonly place: { readonly host: string; readonly port: number };
  /** At once: open connections and watches are cut, as when the machine goes. */
  close(): Promise<void>;
}

/** An API server's port on one address of the lab's network. */
export async function listen(
  server: Server,
  network: Network,
  ip: string,
  port: number,
  serving: CertificateAndKey,
  clientAuthority: string,
): Promise<Listener> {
  const https: HttpsServer = createServer(
    {
      cert: serving.certificate,
      key: serving.key,
      ca: [clientAuthority],
      // A certificate is asked for, and judged when the request is.
      requestCert: true,
      rejectUnauthorized: false,
    },
    (request, response) => void handle(server, request, response),
  );
  const sockets = new Set<Socket>();
  https.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  const bind = network.bindFor(ip, port);
  await new Promise<void>((resolve, reject) => {
    https.once('error', reject);
    https.listen(bind.port, bind.host, resolve);
  });
  const place = { host: bind.host, port: portOf(https.address()) };
  network.up(ip, port, place);
  return {
    place,
    close: () => {
      network.down(ip, port);
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => https.close(() => resolve()));
    },
  };
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}
