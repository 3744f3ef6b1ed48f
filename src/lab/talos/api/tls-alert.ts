/**
 * Node's TLS server lets every client certificate pass and closes the connection afterwards; a Go server sends an alert
 * that names the reason (facts recorded from apid: 45 for dates, 48 for another CA, 42 for another usage, 116 for none). The
 * alert is written here with the connection's own keys, as the first record after the handshake.
 */
import { createCipheriv, createHmac } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';

const ALERTS = {
  badCertificate: 42,
  certificateExpired: 45,
  unknownCa: 48,
  certificateRequired: 116,
} as const;
export type Alert = keyof typeof ALERTS;

const FATAL = 2;
const ALERT_RECORD = 0x15;
const ENCRYPTED_RECORD = 0x17;
const TAG_BYTES = 16;

interface Suite {
  readonly hash: string;
  readonly cipher: 'aes-128-gcm' | 'aes-256-gcm' | 'chacha20-poly1305';
  readonly keyBytes: number;
}

const SUITES: Readonly<Record<string, Suite>> = {
  TLS_AES_128_GCM_SHA256: { hash: 'sha256', cipher: 'aes-128-gcm', keyBytes: 16 },
  TLS_AES_256_GCM_SHA384: { hash: 'sha384', cipher: 'aes-256-gcm', keyBytes: 32 },
  TLS_CHACHA20_POLY1305_SHA256: { hash: 'sha256', cipher: 'chacha20-poly1305', keyBytes: 32 },
};

/** `secret`: SERVER_TRAFFIC_SECRET_0 of the connection, before anything was written with it. */
export function sendAlert(tls: TLSSocket, raw: Socket, secret: Buffer, alert: Alert): void {
  const suite = SUITES[tls.getCipher().standardName];
  if (!suite) {
    tls.destroy();
    return;
  }
  const header = Buffer.from([ENCRYPTED_RECORD, 3, 3, 0, 3 + TAG_BYTES]);
  const key = expandLabel(suite.hash, secret, 'key', suite.keyBytes);
  // The first record has sequence number 0: the nonce is the vector itself (RFC 8446, 5.3).
  const nonce = expandLabel(suite.hash, secret, 'iv', 12);
  const plain = Buffer.from([FATAL, ALERTS[alert], ALERT_RECORD]);
  raw.write(Buffer.concat([header, seal(suite, key, nonce, header, plain)]), () => raw.end());
}

function seal({ cipher: name }: Suite, key: Buffer, nonce: Buffer, header: Buffer, plain: Buffer): Buffer {
  const cipher =
    name === 'chacha20-poly1305'
      ? createCipheriv(name, key, nonce, { authTagLength: TAG_BYTES })
      : createCipheriv(name, key, nonce);
  cipher.setAAD(header, { plaintextLength: plain.length });
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** HKDF-Expand-Label of RFC 8446, 7.1, for lengths of one hash at most. */
function expandLabel(hash: string, secret: Buffer, label: string, length: number): Buffer {
  const name = Buffer.from(`tls13 ${label}`);
  const info = Buffer.concat([Buffer.from([0, length, name.length]), name, Buffer.from([0, 1])]);
  return createHmac(hash, secret).update(info).digest().subarray(0, length);
}
