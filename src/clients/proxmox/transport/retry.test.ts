import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Method } from '../encode.js';
import { ProxmoxError, type ProxmoxErrorCode } from '../errors.js';
import { DEFAULT_RETRY, mayRepeat, pauseBefore } from './retry.js';

const METHODS: readonly Method[] = ['GET', 'POST', 'PUT', 'DELETE'];
const repeats = (code: ProxmoxErrorCode, status?: number) =>
  METHODS.filter((method) =>
    mayRepeat(new ProxmoxError(code, '', status === undefined ? {} : { status }), method, 1, DEFAULT_RETRY),
  );

describe('repeating', () => {
  it('repeats anything that was never sent or never got its lock', () => {
    expect(repeats('proxmox.unreachable')).toEqual(METHODS);
    expect(repeats('proxmox.lock-timeout', 500)).toEqual(METHODS);
    expect(repeats('proxmox.host-down', 595)).toEqual(METHODS);
  });

  it('repeats only reading where the first attempt may have had an effect', () => {
    for (const status of [596, 597, 599]) expect(repeats('proxmox.host-down', status)).toEqual(['GET']);
    expect(repeats('proxmox.dropped')).toEqual(['GET']);
    expect(repeats('proxmox.timeout')).toEqual(['GET']);
  });

  it('repeats no refusal', () => {
    for (const code of [
      'forbidden',
      'unauthorized',
      'parameter',
      'locked',
      'digest',
      'failed',
      'no-quorum',
      'certificate',
    ]) {
      expect(repeats(`proxmox.${code}` as ProxmoxErrorCode)).toEqual([]);
    }
  });

  it('ends', () => {
    const error = new ProxmoxError('proxmox.unreachable', '');
    expect(mayRepeat(error, 'GET', DEFAULT_RETRY.attempts, DEFAULT_RETRY)).toBe(false);
  });

  it('pauses longer each time, within bounds, never twice the same by rule', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }),
        (attempt, chance) => {
          const pause = pauseBefore(attempt, DEFAULT_RETRY, () => chance);
          const full = Math.min(DEFAULT_RETRY.maxMs, DEFAULT_RETRY.baseMs * 2 ** (attempt - 1));
          expect(pause).toBeGreaterThanOrEqual(Math.floor(full / 2));
          expect(pause).toBeLessThanOrEqual(full);
        },
      ),
    );
  });
});
