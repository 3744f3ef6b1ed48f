/**
 * Maintenance windows by the clocks of a time zone. A time that a change of clocks skips is the moment after it; one that
 * comes twice is the first of the two.
 */
export interface Window {
  /** Days on which it begins; empty: every day. */
  readonly days: readonly Weekday[];
  /** `HH:MM` */
  readonly start: string;
  /** `HH:MM`; at or before `start`: on the next day. */
  readonly end: string;
  readonly timeZone: string;
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
type Weekday = (typeof WEEKDAYS)[number];

/** Milliseconds since the epoch. */
interface Span {
  readonly from: number;
  readonly until: number;
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A weekly window begins within this many days, also where one of its days has none because clocks are changed. */
const DAYS_AHEAD = 15;
const WEEK_AND_A_DAY = 8;

/** The window that is open, up to when no other follows it; `undefined`: none is. */
export function openWindow(windows: readonly Window[], now: number): Span | undefined {
  const spans = spansAround(windows, now);
  const open = spans.filter(({ from, until }) => from <= now && now < until);
  if (open.length === 0) return undefined;
  let until = Math.max(...open.map((span) => span.until));
  // Windows that touch or overlap are one.
  for (const span of spans) if (span.from <= until) until = Math.max(until, span.until);
  return { from: Math.min(...open.map(({ from }) => from)), until };
}

/** The next one that begins after now. */
export function nextWindow(windows: readonly Window[], now: number): Span | undefined {
  return spansAround(windows, now).find(({ from }) => from > now);
}

/** When one last began, now or before, within the last week. */
export function lastStart(windows: readonly Window[], now: number): number | undefined {
  const starts = windows.flatMap((window) => spansOf(window, now, WEEK_AND_A_DAY).map(({ from }) => from));
  const past = starts.filter((from) => from <= now);
  return past.length === 0 ? undefined : Math.max(...past);
}

/** `undefined`: there is such a time zone. */
export function timeZoneProblem(timeZone: string): string | undefined {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone });
    return undefined;
  } catch {
    return `there is no time zone ${timeZone}`;
  }
}

function spansAround(windows: readonly Window[], now: number): Span[] {
  return windows.flatMap((window) => spansOf(window, now)).sort((a, b) => a.from - b.from);
}

function spansOf({ days, start, end, timeZone }: Window, now: number, daysBack = 2): Span[] {
  const today = Math.floor((now + offsetAt(timeZone, now)) / DAY);
  const spans: Span[] = [];
  for (let day = today - daysBack; day <= today + DAYS_AHEAD; day += 1) {
    const weekday = WEEKDAYS[new Date(day * DAY).getUTCDay()];
    if (days.length > 0 && (weekday === undefined || !days.includes(weekday))) continue;
    const from = instantOf(timeZone, day * DAY + minutesIn(start) * MINUTE);
    const lastDay = minutesIn(end) <= minutesIn(start) ? day + 1 : day;
    const until = instantOf(timeZone, lastDay * DAY + minutesIn(end) * MINUTE);
    if (until > from) spans.push({ from, until });
  }
  return spans;
}

function minutesIn(time: string): number {
  const [hours = '0', minutes = '0'] = time.split(':');
  return Number(hours) * 60 + Number(minutes);
}

/** When clocks of the zone show `local`, which is counted as if they showed UTC. */
function instantOf(timeZone: string, local: number): number {
  const candidates = [local - DAY, local + DAY].map((near) => local - offsetAt(timeZone, near));
  const valid = candidates.filter((instant) => instant + offsetAt(timeZone, instant) === local);
  if (valid.length > 0) return Math.min(...valid);
  // Skipped: the change lies between the two.
  let [before, after] = [Math.min(...candidates), Math.max(...candidates)];
  const old = offsetAt(timeZone, before);
  while (after - before > MINUTE) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE) * MINUTE;
    if (offsetAt(timeZone, middle) === old) before = middle;
    else after = middle;
  }
  return after;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far clocks of the zone are ahead of UTC, in milliseconds. */
function offsetAt(timeZone: string, instant: number): number {
  const known = formats.get(timeZone);
  const format =
    known ??
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  if (!known) formats.set(timeZone, format);
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const shown = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  );
  return shown - Math.floor(instant / 1_000) * 1_000;
}
