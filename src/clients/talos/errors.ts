import { OxherdError } from '../../model/error.js';

/** What a Talos API call ended with; `reason` is the machine's own text. */
export class TalosError extends OxherdError {
  override readonly name: string = 'TalosError';

  constructor(
    override readonly code: TalosErrorCode,
    readonly reason: string,
    details: { advice?: string; where?: string; cause?: unknown } = {},
  ) {
    super(code, details.where ? `${details.where}: ${reason}` : reason, details);
  }
}

export function isTalosError(error: unknown, ...codes: TalosErrorCode[]): error is TalosError {
  return error instanceof TalosError && (codes.length === 0 || codes.includes(error.code));
}

export type TalosErrorCode =
  | 'talos.unreachable'
  | 'talos.timeout'
  | 'talos.certificate-required'
  | 'talos.certificate-refused'
  | 'talos.other-secrets'
  | 'talos.untrusted'
  | 'talos.forbidden'
  | 'talos.not-ready'
  | 'talos.already-exists'
  | 'talos.not-found'
  | 'talos.invalid'
  | 'talos.unsupported'
  | 'talos.upgrade-failed'
  | 'talos.failed';

const ADVICE: Partial<Record<TalosErrorCode, string>> = {
  'talos.unreachable':
    'The machine may be booting, stopped or on another address: look at its console in Proxmox, then try again.',
  'talos.timeout': 'The machine took the call and did not answer in time: look at its console in Proxmox.',
  'talos.certificate-required':
    'The machine is configured and wants a client certificate: use the secrets it was configured with.',
  'talos.certificate-refused':
    'Set the clocks: compare the date of this computer with a time server, and see whether the machine reaches its NTP servers. oxherd waits for a clock that is being set.',
  'talos.other-secrets':
    'The machine does not accept the client certificate: it was configured with other secrets.',
  'talos.untrusted':
    'The machine’s certificate is not from this cluster’s CA: it is in maintenance mode, or belongs to another cluster.',
  'talos.forbidden': 'The certificate’s role does not allow this call; an os:admin certificate does.',
  'talos.not-ready': 'The machine is not up yet: wait and retry.',
  'talos.already-exists': 'It was done before: check that the existing one belongs to this cluster.',
  'talos.not-found':
    'The machine does not find it. An image: is it in its registry, and can the machine reach that? Then try again.',
  'talos.upgrade-failed':
    'The machine keeps the version it has: see `talosctl dmesg` for the rest of the story, then try again.',
  'talos.failed': 'Message from Talos; see `talosctl dmesg`, then try again.',
  'talos.invalid': 'The machine refuses what was sent: correct the config and apply again.',
  'talos.unsupported': 'This machine does not have the call: it is a worker, or runs another Talos version.',
};

export function makeTalosError(
  code: TalosErrorCode,
  reason: string,
  where: string,
  cause?: unknown,
): TalosError {
  const advice = ADVICE[code];
  return new TalosError(code, reason, {
    where,
    ...(advice === undefined ? {} : { advice }),
    ...(cause === undefined ? {} : { cause }),
  });
}
