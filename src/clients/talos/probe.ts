import { connect, createSecureContext, type TLSSocket } from 'node:tls';
import { once } from '../../model/memoize.js';
import type { Dial } from './connection.js';

export const TALOS_API_PORT = 50_000;

/** What answers at a machine's address: no one, a machine that waits for its config, or one that has it. */
export type Presence = 'absent' | 'maintenance' | 'configured';

/** Its making costs more than a handshake. */
const withoutCertificate = once(() => createSecureContext({ minVersion: 'TLSv1.3' }));

/**
 * By TLS alone: a configured machine demands a client certificate. In TLS 1.3 the handshake succeeds for a client
 * without one, and the alert 116 (certificate required) comes with the first read; a machine in maintenance mode
 * sends its HTTP/2 settings instead.
 */
export function probe(
  address: string,
  options: { port?: number; dial?: Dial; timeoutMs?: number } = {},
): Promise<Presence> {
  const port = options.port ?? TALOS_API_PORT;
  const place = options.dial ? options.dial(address, port) : { host: address, port };
  if (!place) return Promise.resolve('absent');
  return new Promise((resolve) => {
    const socket: TLSSocket = connect({
      ...place,
      servername: '',
      rejectUnauthorized: false,
      secureContext: withoutCertificate(),
      ALPNProtocols: ['h2'],
    });
    const settle = (presence: Presence) => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => {});
      socket.destroy();
      resolve(presence);
    };
    const timer = setTimeout(() => settle('absent'), options.timeoutMs ?? 5_000);
    socket.once('data', () => settle('maintenance'));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      settle(error.code === 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' ? 'configured' : 'absent'),
    );
    socket.once('close', () => settle('absent'));
  });
}
