import { X509Certificate } from 'node:crypto';
import { formatDuration } from '../../model/duration.js';
import { makeTalosError, TalosError } from './errors.js';

/**
 * A machine refuses a client certificate because of its dates. If it is valid by this computer's clock, the clocks
 * differ, at least by what the certificate's dates leave room for.
 */
export function refusedDates(certificate: string, where: string, now: number, cause: unknown): TalosError {
  const { validFrom, validTo } = new X509Certificate(certificate);
  const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
  if (to < now) {
    return new TalosError(
      'talos.certificate-refused',
      `the client certificate expired on ${new Date(to).toISOString()}`,
      { where, cause, advice: 'Create a new one: `oxherd talosconfig`, or `talosctl config new`.' },
    );
  }
  // A bound: in whole minutes, which a person can compare.
  const room = formatDuration(Math.max(0, Math.floor((now - from) / 60_000)) * 60);
  const reason = `the machine refuses the client certificate because of its dates: its clock is more than ${room} behind the clock of this computer`;
  return makeTalosError('talos.certificate-refused', reason, where, cause);
}
