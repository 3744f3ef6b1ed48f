/** Schedules as `robfig/cron` reads them: five fields or a descriptor. */

interface Bounds {
  readonly least: number;
  readonly most: number;
  readonly names?: Readonly<Record<string, number>>;
}

const numbered = (names: string, first: number) =>
  Object.fromEntries(names.split(' ').map((name, index) => [name, index + first]));

const FIELDS: readonly Bounds[] = [
  { least: 0, most: 59 },
  { least: 0, most: 23 },
  { least: 1, most: 31 },
  { least: 1, most: 12, names: numbered('jan feb mar apr may jun jul aug sep oct nov dec', 1) },
  { least: 0, most: 6, names: numbered('sun mon tue wed thu fri sat', 0) },
];

const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** Why a text is no schedule. */
export function scheduleFault(schedule: string): string | undefined {
  const zoned = /^(?:CRON_)?TZ=\S* (.*)$/.exec(schedule);
  const text = (zoned?.[1] ?? schedule).trim();
  if (text.startsWith('@')) return descriptorFault(text);
  const fields = text.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length) {
    return `expected exactly 5 fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  // The parser goes on after a fault and keeps the first.
  for (const [index, bounds] of FIELDS.entries()) {
    for (const part of (fields[index] ?? '').split(',').filter((item) => item !== '')) {
      const fault = rangeFault(part, bounds);
      if (fault) return fault;
    }
  }
  return undefined;
}

function descriptorFault(text: string): string | undefined {
  if (DESCRIPTORS.includes(text)) return undefined;
  if (!text.startsWith('@every ')) return `unrecognized descriptor: ${text}`;
  const duration = text.slice('@every '.length);
  if (/^[-+]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(duration)) return undefined;
  return `failed to parse duration ${text}: time: invalid duration ${JSON.stringify(duration)}`;
}

function rangeFault(text: string, { least, most, names = {} }: Bounds): string | undefined {
  const [span = '', step, ...slashes] = text.split('/');
  const [first = '', last, ...hyphens] = span.split('-');
  let [from, to] = [least, most];
  let still: string | undefined;
  if (first !== '*' && first !== '?') {
    const begin = number(first, names);
    if (typeof begin === 'string') return begin;
    [from, to] = [begin, begin];
    if (last !== undefined && hyphens.length === 0) {
      const end = number(last, names);
      if (typeof end === 'string') return end;
      to = end;
    } else if (last !== undefined) return `too many hyphens: ${text}`;
  }
  if (slashes.length > 0) return `too many slashes: ${text}`;
  if (step !== undefined) {
    const by = whole(step);
    if (typeof by === 'string') return by;
    if (last === undefined) to = most;
    if (by === 0) still = `step of range should be a positive number: ${text}`;
  }
  if (from < least) return `beginning of range (${from}) below minimum (${least}): ${text}`;
  if (to > most) return `end of range (${to}) above maximum (${most}): ${text}`;
  return from > to ? `beginning of range (${from}) beyond end of range (${to}): ${text}` : still;
}

function number(text: string, names: Readonly<Record<string, number>>): number | string {
  return names[text.toLowerCase()] ?? whole(text);
}

function whole(text: string): number | string {
  if (!/^[-+]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  const value = Number(text);
  return value < 0 ? `negative number (${value}) not allowed: ${text}` : value;
}
