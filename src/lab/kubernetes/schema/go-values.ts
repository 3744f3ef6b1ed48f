/** Texts that Go reads into values: what its packages say when they cannot. */
import { microTimeText, timeText } from '../object.js';

const ALPHABET = /[A-Za-z0-9+/]/;

/** The place of the fault in a base64 text (`encoding/base64`, CorruptInputError), or nothing. */
function base64Fault(text: string): number | undefined {
  let at = 0;
  const skip = () => {
    while (text[at] === '\n' || text[at] === '\r') at += 1;
  };
  while (at < text.length) {
    for (let held = 0; held < 4; held += 1) {
      skip();
      const letter = text[at];
      if (letter === undefined) {
        if (held === 0) return undefined;
        return at - held;
      }
      at += 1;
      if (ALPHABET.test(letter)) continue;
      if (letter !== '=' || held < 2) return at - 1;
      skip();
      if (held === 2) {
        if (at === text.length) return text.length;
        if (text[at] !== '=') return at - 1;
        at += 1;
        skip();
      }
      return at < text.length ? at : undefined;
    }
  }
  return undefined;
}

export type Read = { readonly value: string } | { readonly fault: string };

export function readBase64(text: string): Read {
  const fault = base64Fault(text);
  if (fault !== undefined) return { fault: `illegal base64 data at input byte ${fault}` };
  return { value: Buffer.from(text, 'base64').toString('base64') };
}

interface Chunk {
  readonly layout: string;
  readonly pattern: RegExp;
}

const digits = (layout: string, count: number): Chunk => ({ layout, pattern: new RegExp(`^\\d{${count}}`) });
const exactly = (layout: string): Chunk => ({ layout, pattern: new RegExp(`^${layout}`) });
const ZONE: Chunk = { layout: 'Z07:00', pattern: /^(Z|[+-]\d\d:\d\d)/ };
const DATE = [digits('2006', 4), exactly('-'), digits('01', 2), exactly('-'), digits('02', 2), exactly('T')];
const CLOCK = [{ layout: '15', pattern: /^\d\d?/ }, exactly(':'), digits('04', 2), exactly(':')];
const SECONDS = { layout: '05', pattern: /^\d\d(?:[.,]\d+)?/ };
const MICRO = [digits('05', 2), { layout: '.000000', pattern: /^[.,]\d{6}/ }];

const RFC3339 = '2006-01-02T15:04:05Z07:00';
const RFC3339_MICRO = '2006-01-02T15:04:05.000000Z07:00';

const STORED = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** `time.Parse` of the two layouts that objects have, and the time as it is written. */
export function readTime(text: string, micro: boolean): Read {
  // Nearly all times are in the form that is stored.
  const stored = micro || !STORED.test(text) ? Number.NaN : Date.parse(text);
  if (!Number.isNaN(stored) && timeText(stored) === text) return { value: text };
  const layout = micro ? RFC3339_MICRO : RFC3339;
  let rest = text;
  for (const { layout: chunk, pattern } of [...DATE, ...CLOCK, ...(micro ? MICRO : [SECONDS]), ZONE]) {
    const match = pattern.exec(rest);
    if (!match) {
      return {
        fault: `parsing time ${quoted(text)} as "${layout}": cannot parse ${quoted(rest)} as "${chunk}"`,
      };
    }
    rest = rest.slice(match[0].length);
  }
  if (rest !== '') return { fault: `parsing time ${quoted(text)}: extra text: ${quoted(rest)}` };
  const outside = rangeFault(text);
  if (outside) return { fault: `parsing time ${quoted(text)}: ${outside} out of range` };
  const ms = Date.parse(text.replace(/T(\d):/, 'T0$1:').replace(',', '.'));
  return { value: micro ? microText(text, ms) : timeText(ms) };
}

function microText(text: string, ms: number): string {
  const fraction = /[.,](\d{6})/.exec(text)?.[1] ?? '000000';
  return `${microTimeText(ms).slice(0, 20)}${fraction}Z`;
}

function rangeFault(text: string): string | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = text
    .split(/[-T:Z+.,]/, 6)
    .map(Number);
  if (month < 1 || month > 12) return 'month';
  if (day < 1 || day > new Date(Date.UTC(year, month, 0)).getUTCDate()) return 'day';
  if (hour > 23) return 'hour';
  if (minute > 59) return 'minute';
  return second > 59 ? 'second' : undefined;
}

function quoted(text: string): string {
  return JSON.stringify(text);
}
