import { expect, it } from 'vitest';
import { jsonLog } from './log.js';

it('writes one JSON line per event, without secrets', () => {
  const lines: string[] = [];
  const log = jsonLog(
    (line) => lines.push(line),
    () => 0,
  );
  const planted = '12345678-1234-4234-8234-123456789abc';
  log.info(`Authorization: PVEAPIToken=oxherd@pve!fleet=${planted}`, {
    nested: { token: `oxherd@pve!fleet=${planted}` },
  });
  log.error('failed', { error: `age key AGE-SECRET-KEY-1${'Q'.repeat(58)} is wrong\nsecond line` });
  for (const line of lines) {
    expect(line.indexOf('\n')).toBe(line.length - 1);
    expect(JSON.parse(line)).toMatchObject({ time: '1970-01-01T00:00:00.000Z' });
  }
  expect(lines.join('')).not.toContain(planted);
  expect(lines.join('')).not.toContain('QQQQQQQQ');
  expect(lines.map((line) => JSON.parse(line).level)).toEqual(['info', 'error']);
});
