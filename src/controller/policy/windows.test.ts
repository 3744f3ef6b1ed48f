import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lastStart, nextWindow, openWindow, timeZoneProblem, type Window } from './windows.js';

const night = (more: Partial<Window> = {}): Window => ({
  days: [],
  start: '22:00',
  end: '04:00',
  timeZone: 'Europe/Berlin',
  ...more,
});
const at = (iso: string) => Date.parse(iso);
const iso = (span: { from: number; until: number } | undefined) =>
  span && [new Date(span.from).toISOString(), new Date(span.until).toISOString()];

describe('a maintenance window', () => {
  it('goes by the clocks of its zone, over midnight', () => {
    expect(iso(openWindow([night()], at('2026-06-01T20:30:00Z')))).toEqual([
      '2026-06-01T20:00:00.000Z',
      '2026-06-02T02:00:00.000Z',
    ]);
    expect(openWindow([night()], at('2026-06-01T19:59:59Z'))).toBeUndefined();
    expect(openWindow([night()], at('2026-06-02T02:00:00Z'))).toBeUndefined();
  });

  it('is an hour shorter in the night that clocks go forward, and an hour longer when they go back', () => {
    const hours = (now: string) => {
      const open = openWindow([night()], at(now));
      return open && (open.until - open.from) / 3_600_000;
    };
    expect(hours('2026-03-28T23:00:00Z')).toBe(5);
    expect(hours('2026-10-24T22:00:00Z')).toBe(7);
    expect(hours('2026-06-01T22:00:00Z')).toBe(6);
  });

  it('that begins at a time which is skipped begins right after it', () => {
    const window = night({ start: '02:30', end: '05:00', days: ['Sun'] });
    expect(iso(nextWindow([window], at('2026-03-28T12:00:00Z')))).toEqual([
      '2026-03-29T01:00:00.000Z',
      '2026-03-29T03:00:00.000Z',
    ]);
  });

  it('that lies within the skipped hour does not open that day', () => {
    const window = night({ start: '02:10', end: '02:50', days: ['Sun'] });
    expect(iso(nextWindow([window], at('2026-03-28T12:00:00Z')))?.[0]).toBe('2026-04-05T00:10:00.000Z');
  });

  it('that begins at a time which comes twice begins at the first', () => {
    const window = night({ start: '02:30', end: '05:00', days: ['Sun'] });
    expect(iso(nextWindow([window], at('2026-10-24T12:00:00Z')))?.[0]).toBe('2026-10-25T00:30:00.000Z');
  });

  it('opens on its days alone, and joins one that touches it', () => {
    const weekend = night({ days: ['Fri', 'Sat'] });
    expect(openWindow([weekend], at('2026-06-01T21:00:00Z'))).toBeUndefined();
    const morning = night({ days: ['Sun'], start: '04:00', end: '06:00' });
    expect(iso(openWindow([weekend, morning], at('2026-06-06T21:00:00Z')))?.[1]).toBe(
      '2026-06-07T04:00:00.000Z',
    );
  });

  it('names a zone that is none', () => {
    expect(timeZoneProblem('Europe/Berlin')).toBeUndefined();
    expect(timeZoneProblem('Mars/Olympus')).toBe('there is no time zone Mars/Olympus');
  });

  it('is open exactly between its beginning and its end, whatever the zone and the time', () => {
    const two = fc.integer({ min: 0, max: 23 }).map((hour) => `${String(hour).padStart(2, '0')}:30`);
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu'];
    const property = fc.property(
      fc.constantFrom(...zones),
      two,
      two,
      fc.integer({ min: at('2026-01-01T00:00:00Z'), max: at('2027-01-01T00:00:00Z') }),
      (timeZone, start, end, now) => {
        const windows = [night({ timeZone, start, end })];
        const open = openWindow(windows, now);
        const next = nextWindow(windows, now);
        expect(next?.from).toBeGreaterThan(now);
        if (open) {
          expect(open.from <= now && now < open.until).toBe(true);
          expect(openWindow(windows, open.until - 1)).toBeDefined();
          expect(openWindow(windows, open.from)).toBeDefined();
        }
        const local = new Intl.DateTimeFormat('en-GB', {
          timeZone,
          hour: '2-digit',
          minute: '2-digit',
          hourCycle: 'h23',
        });
        if (next) expect(openWindow(windows, next.from)).toBeDefined();
        // Away from changes of clocks it begins when clocks show its beginning.
        if (next && timeZone === 'Asia/Kathmandu') expect(local.format(next.from)).toBe(start);
      },
    );
    fc.assert(property, { numRuns: 60 });
  });
});

describe('the last start', () => {
  const times = [night({ start: '02:30', end: '02:30' })];
  const last = (now: string, windows = times) => {
    const start = lastStart(windows, at(now));
    return start && new Date(start).toISOString();
  };

  it('is now or before, by the clocks of its zone', () => {
    expect(last('2026-06-02T00:29:59Z')).toBe('2026-06-01T00:30:00.000Z');
    expect(last('2026-06-02T00:30:00Z')).toBe('2026-06-02T00:30:00.000Z');
    // Clocks skip 02:30 on that day: it is the moment after. They show it twice on the other: it is the first.
    expect(last('2026-03-29T12:00:00Z')).toBe('2026-03-29T01:00:00.000Z');
    expect(last('2026-10-25T12:00:00Z')).toBe('2026-10-25T00:30:00.000Z');
  });

  it('of a weekly time is up to a week ago', () => {
    const weekly = [night({ start: '02:30', end: '02:30', days: ['Sun'] })];
    expect(last('2026-06-06T23:00:00Z', weekly)).toBe('2026-05-31T00:30:00.000Z');
    expect(last('2026-06-07T00:30:00Z', weekly)).toBe('2026-06-07T00:30:00.000Z');
  });
});
