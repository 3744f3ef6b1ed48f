import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from './duration.js';

describe('duration', () => {
  it.each([
    ['90s', 90],
    ['5m', 300],
    ['1h30m', 5400],
    ['7d', 604_800],
    ['0s', 0],
  ])('reads %s', (text, seconds) => {
    expect(parseDuration(text)).toBe(seconds);
  });

  it.each(['', '5', 'm', '30m1h', '1m1m', '-5m', '1.5h', '5 m', '5min'])('refuses %j', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });

  it('reads what it writes', () => {
    fc.assert(fc.property(fc.nat(), (seconds) => parseDuration(formatDuration(seconds)) === seconds));
  });
});
