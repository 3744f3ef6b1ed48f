/** Errors of gRPC, TLS and sockets as what they mean for a Talos call. */
import { Code, ConnectError } from '@connectrpc/connect';
import { makeTalosError, TalosError, type TalosErrorCode } from './errors.js';

const BY_GRPC: Partial<Record<Code, TalosErrorCode>> = {
  [Code.Unavailable]: 'talos.unreachable',
  [Code.DeadlineExceeded]: 'talos.timeout',
  // We cancel nothing by ourselves: a machine that goes away, or refuses a certificate, ends its streams so.
  [Code.Canceled]: 'talos.unreachable',
  [Code.PermissionDenied]: 'talos.forbidden',
  [Code.Unauthenticated]: 'talos.forbidden',
  [Code.FailedPrecondition]: 'talos.not-ready',
  [Code.AlreadyExists]: 'talos.already-exists',
  [Code.NotFound]: 'talos.not-found',
  [Code.InvalidArgument]: 'talos.invalid',
  [Code.Unimplemented]: 'talos.unsupported',
};

/** Node's and OpenSSL's codes, wherever in the chain of causes they are. */
const BY_CAUSE: Record<string, TalosErrorCode> = {
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'talos.certificate-required',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'talos.other-secrets',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'talos.other-secrets',
  // Go sends this alert for a certificate that is not valid yet, too (recorded from apid).
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'talos.certificate-refused',
  // The names that OpenSSL has for the same alerts since 3.2.
  'ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE': 'talos.other-secrets',
  'ERR_SSL_SSL/TLS_ALERT_CERTIFICATE_EXPIRED': 'talos.certificate-refused',
  ERR_TLS_CERT_ALTNAME_INVALID: 'talos.untrusted',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'talos.untrusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'talos.untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'talos.untrusted',
  CERT_HAS_EXPIRED: 'talos.untrusted',
  CERT_SIGNATURE_FAILURE: 'talos.untrusted',
  ECONNREFUSED: 'talos.unreachable',
  ECONNRESET: 'talos.unreachable',
  EHOSTUNREACH: 'talos.unreachable',
  ENETUNREACH: 'talos.unreachable',
  ETIMEDOUT: 'talos.unreachable',
  EPIPE: 'talos.unreachable',
};

export function talosError(value: unknown, where: string): TalosError {
  if (value instanceof TalosError) return value;
  const error = ConnectError.from(value);
  const code =
    causeCode(error) ?? BY_GRPC[error.code] ?? (brokenSession(error) ? 'talos.unreachable' : 'talos.failed');
  return makeTalosError(code, error.rawMessage, where, value);
}

function causeCode(error: unknown): TalosErrorCode | undefined {
  for (
    let cause: unknown = error, depth = 0;
    cause instanceof Error && depth < 8;
    cause = cause.cause, depth += 1
  ) {
    const code = 'code' in cause ? String(cause.code) : '';
    const known = BY_CAUSE[code];
    if (known) return known;
  }
  return undefined;
}

/** The connection went away under the call (a reboot): connect reports it as an internal error of HTTP/2. */
function brokenSession(error: ConnectError): boolean {
  return (
    (error.code === Code.Internal || error.code === Code.Aborted || error.code === Code.Unknown) &&
    /http\/2|stream closed|session|socket|premature|goaway/i.test(error.rawMessage)
  );
}
