import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { type ConnectionOptions, withPort } from './connection.js';

const PATIENCE = 5_000;

/**
 * When the certificate ends that the server at this address shows, in milliseconds since the epoch. It is only looked
 * at: one that has ended already, which no client would accept, is seen as well.
 */
export function servingUntil(
  { dial, connectTimeoutMs = PATIENCE }: Pick<ConnectionOptions, 'dial' | 'connectTimeoutMs'>,
  endpoint: string,
): Promise<number | undefined> {
  const { hostname, port } = new URL(`https://${withPort(endpoint)}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const place = dial ? dial(host, Number(port)) : { host, port: Number(port) };
  if (!place) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const socket = connect({
      ...place,
      rejectUnauthorized: false,
      ...(isIP(host) ? {} : { servername: host }),
    });
    const end = (found?: number) => {
      socket.destroy();
      resolve(found);
    };
    socket.setTimeout(connectTimeoutMs, () => end());
    socket.once('error', () => end());
    socket.once('secureConnect', () => {
      const ends = Date.parse(socket.getPeerCertificate().valid_to);
      end(Number.isNaN(ends) ? undefined : ends);
    });
  });
}
