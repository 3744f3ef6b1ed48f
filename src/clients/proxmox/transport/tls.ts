/** How we make sure that the other end is the Proxmox we mean, before it is told anything. */
import { isIP, type Socket } from 'node:net';
import { checkServerIdentity, createSecureContext, TLSSocket, connect as tlsConnect } from 'node:tls';
import { buildConnector } from 'undici';
import { once } from '../../../model/memoize.js';

export type TlsTrust =
  /** The system's own certificate authorities. */
  | { readonly kind: 'system' }
  /** PEM, one or more certificates. */
  | { readonly kind: 'ca'; readonly pem: string }
  /** SHA-256 of the server's own certificate, hex with or without colons; several: any of them. */
  | { readonly kind: 'fingerprint'; readonly sha256: string | readonly string[] }
  | { readonly kind: 'insecure' };

/** Where a host is really found: the lab's dial table. `undefined`: where its name says. */
export type Dial = (host: string, port: number) => { host: string; port: number } | undefined;

/** The connection was not made; no request was sent over it. */
export class ConnectFailure extends Error {
  override readonly name = 'ConnectFailure';
  /** Not one of undici's own codes: it hands those of a socket to no one. */
  readonly code = 'OXHERD_CONNECT';

  constructor(
    readonly kind: 'unreachable' | 'certificate',
    message: string,
    cause: unknown,
    /** Fingerprint of the certificate that was presented, where it was looked at. */
    readonly presented?: string,
  ) {
    super(message, { cause });
  }
}

/** `undefined` unless the text is 32 bytes of hex. */
export function normalFingerprint(text: string): string | undefined {
  const hex = text
    .replace(/^sha256[:=]/i, '')
    .replaceAll(':', '')
    .toUpperCase();
  return /^[0-9A-F]{64}$/.test(hex) ? (hex.match(/../g) ?? []).join(':') : undefined;
}

export function isPinned(
  { sha256 }: Extract<TlsTrust, { readonly kind: 'fingerprint' }>,
  presented: string,
): boolean {
  return parsePins(sha256).includes(presented);
}

/** What to write into the config to trust this certificate. */
export function pinLine(endpoint: string, presented: string, several: boolean): string {
  return several
    ? `proxmox.endpoint: { url: "${endpoint}", fingerprint: "${presented}" }`
    : `proxmox.fingerprint: ${presented}`;
}

interface ConnectorOptions {
  readonly trust: TlsTrust;
  readonly dial?: Dial;
  readonly connectTimeoutMs: number;
  readonly onConnect?: () => void;
}

export function trustedConnector(options: ConnectorOptions): buildConnector.connector {
  const { trust } = options;
  const pins = trust.kind === 'fingerprint' ? parsePins(trust.sha256) : undefined;
  const secureContext = once(() => createSecureContext(trust.kind === 'ca' ? { ca: trust.pem } : {}));
  // Of a connection whose certificate was checked: only the same server can go on with it, and needs no second signature.
  let session: Buffer | undefined;
  return (target, callback) => {
    const port = Number(target.port || 443);
    const place = options.dial?.(target.hostname, port) ?? { host: target.hostname, port };
    const connect = buildConnector({
      timeout: options.connectTimeoutMs,
      maxCachedSessions: 0,
      ...(session && { session }),
      rejectUnauthorized: trust.kind === 'system' || trust.kind === 'ca',
      secureContext: secureContext(),
      // The certificate is for the name we were given, not for the place we dial.
      checkServerIdentity: (_, certificate) => checkServerIdentity(target.hostname, certificate),
    });
    connect(
      {
        ...target,
        hostname: place.host,
        port: String(place.port),
        ...(isIP(target.hostname) ? {} : { servername: target.hostname }),
      },
      (...[error, socket]) => {
        if (error) return callback(describeFailure(error, target.hostname, port), null);
        // Between the handshake and this callback not a byte of a request has been written.
        const mismatch = pins && !isResumed(socket) && pinMismatch(socket, pins);
        if (mismatch) {
          socket.destroy();
          return callback(mismatch, null);
        }
        socket.on('session', (ticket: Buffer) => {
          session = ticket;
        });
        options.onConnect?.();
        callback(null, socket);
      },
    );
  };
}

function parsePins(pins: string | readonly string[]): readonly string[] {
  return [pins].flat().map((text) => {
    const pin = normalFingerprint(text);
    if (!pin) throw new RangeError(`not a SHA-256 fingerprint (32 bytes of hex): ${text}`);
    return pin;
  });
}

function isResumed(socket: Socket): boolean {
  return socket instanceof TLSSocket && socket.isSessionReused();
}

function pinMismatch(socket: Socket, pins: readonly string[]): ConnectFailure | undefined {
  const presented = socket instanceof TLSSocket ? socket.getPeerX509Certificate()?.fingerprint256 : undefined;
  if (presented !== undefined && pins.includes(presented)) return undefined;
  return new ConnectFailure(
    'certificate',
    `its certificate has the fingerprint ${presented ?? '(none)'}, pinned is ${pins.join(' or ')}`,
    undefined,
    presented,
  );
}

/** OpenSSL's verification errors as Node names them. */
const CERTIFICATE_ERROR =
  /^(CERT_|ERR_TLS_CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_(CA|PURPOSE)|HOSTNAME_MISMATCH)/;

function describeFailure(error: Error, host: string, port: number): ConnectFailure {
  const code = 'code' in error ? String(error.code) : '';
  return CERTIFICATE_ERROR.test(code)
    ? new ConnectFailure('certificate', error.message, error)
    : new ConnectFailure('unreachable', `${host}:${port}: ${code || error.message}`, error);
}

export interface PresentedCertificate {
  readonly fingerprint: string;
  readonly subject: string;
  readonly issuer: string;
  readonly names: readonly string[];
  readonly validFrom: Date;
  readonly validTo: Date;
  /** By the authorities of this system, for this name. */
  readonly trusted: boolean;
}

/** Looks at the certificate an endpoint presents, trusting nothing and sending nothing. */
export function inspectCertificate(
  endpoint: string,
  options: { readonly dial?: Dial; readonly timeoutMs: number },
): Promise<PresentedCertificate> {
  const url = new URL(endpoint);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || 443);
  const place = options.dial?.(hostname, port) ?? { host: hostname, port };
  return new Promise((resolve, reject) => {
    const socket = tlsConnect({
      ...place,
      rejectUnauthorized: false,
      ...(isIP(hostname) ? {} : { servername: hostname }),
    });
    const fail = (error: Error) => {
      socket.destroy();
      reject(describeFailure(error, hostname, port));
    };
    socket.setTimeout(options.timeoutMs, () => fail(new Error(`no answer within ${options.timeoutMs} ms`)));
    socket.once('error', fail);
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate();
      socket.end();
      if (!certificate) return fail(new Error('no certificate was presented'));
      resolve({
        fingerprint: certificate.fingerprint256,
        subject: certificate.subject,
        issuer: certificate.issuer,
        names: (certificate.subjectAltName ?? '').split(', ').filter(Boolean),
        validFrom: new Date(certificate.validFrom),
        validTo: new Date(certificate.validTo),
        trusted: socket.authorized,
      });
    });
  });
}
