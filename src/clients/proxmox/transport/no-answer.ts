/** Why a request got no answer, and what to do about it. */
import { TooLarge } from '../../read-limited.js';
import type { Method } from '../encode.js';
import { ProxmoxError } from '../errors.js';
import { ConnectFailure, type Dial, inspectCertificate, pinLine } from './tls.js';

interface Asked {
  readonly endpoint: string;
  readonly dial?: Dial;
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
  /** One of several endpoints: each may have a certificate of its own. */
  readonly several: boolean;
}

export async function noAnswer(
  options: Asked,
  error: unknown,
  method: Method,
  path: string,
  timedOut: boolean,
): Promise<ProxmoxError> {
  const where = `${method} ${path} at ${options.endpoint}`;
  if (error instanceof ConnectFailure) {
    return error.kind === 'certificate'
      ? notTrusted(options, error, where)
      : new ProxmoxError('proxmox.unreachable', `cannot connect to ${error.message}`, {
          where,
          cause: error,
          advice: 'Check proxmox.endpoint, the network and whether pveproxy runs on that host.',
        });
  }
  const mayHaveHappened = method !== 'GET';
  if (error instanceof TooLarge) {
    return new ProxmoxError('proxmox.answer', error.message, {
      where,
      mayHaveHappened,
      advice: 'Check that proxmox.endpoint names a Proxmox VE host and its API port, usually 8006.',
    });
  }
  const doubt = mayHaveHappened
    ? ' It may have succeeded nevertheless: run again, every step checks before it writes.'
    : '';
  if (timedOut) {
    return new ProxmoxError('proxmox.timeout', `no answer within ${options.requestTimeoutMs} ms`, {
      where,
      mayHaveHappened,
      advice: `Check the load of the host.${doubt}`,
    });
  }
  return new ProxmoxError('proxmox.dropped', 'the connection broke before the answer came', {
    where,
    cause: error,
    mayHaveHappened,
    advice: `Check the network and whether pveproxy was restarted.${doubt}`,
  });
}

/** A handshake that the system's check has refused shows no certificate: it is asked for again, and sent nothing. */
async function notTrusted(options: Asked, error: ConnectFailure, where: string): Promise<ProxmoxError> {
  const { endpoint, dial, connectTimeoutMs: timeoutMs } = options;
  const presented =
    error.presented ??
    (await inspectCertificate(endpoint, { timeoutMs, ...(dial && { dial }) }).then(
      ({ fingerprint }) => fingerprint,
      () => undefined,
    ));
  const pin =
    presented === undefined
      ? 'see its fingerprint with: oxherd doctor'
      : `it presents ${presented}. If \`pvenode cert info\` on that host shows the same, write: ${pinLine(endpoint, presented, options.several)}`;
  return new ProxmoxError('proxmox.certificate', `${endpoint} is not trusted: ${error.message}`, {
    where,
    cause: error,
    advice: `Nothing was sent; ${pin} (or set proxmox.ca to the file of its CA)`,
  });
}
