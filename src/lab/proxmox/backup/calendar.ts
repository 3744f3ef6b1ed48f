/** When a schedule such as `mon..fri 22:00` is due next (systemd's calendar events as Proxmox takes them). */

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({
    minutely: '*:*',
    hourly: '*:00',
    daily: '00:00',
    weekly: 'mon 00:00',
    monthly: '*-1 00:00',
    yearly: '1-1 00:00',
    annually: '1-1 00:00',
    quarterly: '1,4,7,10-1 00:00',
    semiannually: '1,7-1 00:00',
    'semi-annually': '1,7-1 00:00',
  }),
);

interface Calendar {
  readonly days: ReadonlySet<number>;
  readonly months: ReadonlySet<number>;
  readonly dates: ReadonlySet<number>;
  readonly hours: ReadonlySet<number>;
  readonly minutes: ReadonlySet<number>;
}

function range(from: number, to: number, step = 1): number[] {
  const numbers: number[] = [];
  for (let number = from; number <= to; number += step) numbers.push(number);
  return numbers;
}

/** `1,5..7,10/5`: lists, ranges and steps of numbers between `lowest` and `highest`. */
function readNumbers(text: string, lowest: number, highest: number): Set<number> | undefined {
  const found = new Set<number>();
  for (const part of text.split(',')) {
    const [, first = '', last, step] = /^(\*|\d+)(?:\.\.(\d+))?(?:\/(\d+))?$/.exec(part) ?? [];
    if (first === '') return undefined;
    const from = first === '*' ? lowest : Number(first);
    const open = first === '*' || step !== undefined;
    const to = last === undefined ? (open ? highest : from) : Number(last);
    if (from < lowest || to > highest || from > to || step === '0') return undefined;
    for (const number of range(from, to, Number(step ?? 1))) found.add(number);
  }
  return found;
}

function readDays(text: string): Set<number> | undefined {
  const found = new Set<number>();
  for (const part of text.toLowerCase().split(',')) {
    const [from = -1, to = from, ...more] = part
      .split('..')
      .map((day) => DAYS.findIndex((name) => day.length >= 3 && `${day}`.startsWith(name)));
    if (from < 0 || to < 0 || more.length > 0) return undefined;
    for (let day = from; ; day = (day + 1) % 7) {
      found.add(day);
      if (day === to) break;
    }
  }
  return found;
}

export function parseCalendar(event: string): Calendar | undefined {
  const words = (NAMED.get(event.trim().toLowerCase()) ?? event).trim().split(/\s+/);
  let days: Set<number> | undefined = new Set(range(0, 6));
  let months: Set<number> | undefined = new Set(range(1, 12));
  let dates: Set<number> | undefined = new Set(range(1, 31));
  if (/^[a-z]/i.test(words[0] ?? '')) days = readDays(words.shift() ?? '');
  if (words[0]?.includes('-')) {
    const parts = (words.shift() ?? '').split('-');
    dates = readNumbers(parts.pop() ?? '', 1, 31);
    const month = parts.pop();
    if (month !== undefined) months = readNumbers(month, 1, 12);
    if (parts.length > 1) return undefined;
  }
  const time = words.shift();
  if (words.length > 0) return undefined;
  const [first = '00', second, third, ...more] = (time ?? '00:00').split(':');
  if (more.length > 0 || (third !== undefined && !readNumbers(third, 0, 59))) return undefined;
  const hours = second === undefined ? new Set(range(0, 23)) : readNumbers(first, 0, 23);
  const minutes = readNumbers(second ?? first, 0, 59);
  return days && months && dates && hours && minutes ? { days, months, dates, hours, minutes } : undefined;
}

const MINUTE = 60_000;
/** The longest wait that is looked for. */
const HORIZON = 400 * 24 * 60;

/** Seconds since 1970; `undefined`: never, or no schedule at all. */
export function nextRun(event: string, now: number): number | undefined {
  const calendar = parseCalendar(event);
  if (!calendar) return undefined;
  const first = Math.floor(now / MINUTE) + 1;
  for (let minute = first; minute < first + HORIZON; minute += 1) {
    const at = new Date(minute * MINUTE);
    const onDay =
      calendar.days.has(at.getUTCDay()) &&
      calendar.months.has(at.getUTCMonth() + 1) &&
      calendar.dates.has(at.getUTCDate());
    if (!onDay) {
      minute += 1439 - (at.getUTCHours() * 60 + at.getUTCMinutes());
      continue;
    }
    if (calendar.hours.has(at.getUTCHours()) && calendar.minutes.has(at.getUTCMinutes())) return minute * 60;
  }
  return undefined;
}
