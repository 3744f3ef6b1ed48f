/** Times and durations of objects, as protobuf counts them. */

interface TimeParts {
  readonly seconds: bigint;
  readonly nanos: number;
}

export function timeParts(text: string): TimeParts {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) return { seconds: 0n, nanos: 0 };
  const fraction = /\.(\d{1,9})/.exec(text)?.[1] ?? '';
  return { seconds: BigInt(Math.floor(ms / 1000)), nanos: Number(fraction.padEnd(9, '0')) };
}

/** `2026-01-02T03:04:05Z`, with microseconds where `micro`. */
export function timeOf({ seconds, nanos }: TimeParts, micro: boolean): string {
  const text = new Date(Number(seconds) * 1000).toISOString().slice(0, 19);
  return micro ? `${text}.${String(Math.floor(nanos / 1000)).padStart(6, '0')}Z` : `${text}Z`;
}

const UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

/** `1h30m` in nanoseconds. */
export function goDurationNanos(text: string): bigint {
  let sum = 0;
  for (const [, number = '0', unit = ''] of text.matchAll(/([\d.]+)(ns|us|µs|ms|s|m|h)/g)) {
    sum += Number(number) * (UNITS[unit] ?? 0);
  }
  return BigInt(Math.round(text.startsWith('-') ? -sum : sum));
}

/** Nanoseconds as Go's `Duration.String` writes them, for whole milliseconds and up. */
export function goDurationText(nanos: bigint): string {
  const seconds = Number(nanos) / 1e9;
  if (seconds === 0) return '0s';
  const size = Math.abs(seconds);
  const [hours, minutes] = [Math.floor(size / 3600), Math.floor((size % 3600) / 60)];
  const rest = `${Number((size % 60).toFixed(9))}s`;
  const parts = hours > 0 ? `${hours}h${minutes}m${rest}` : minutes > 0 ? `${minutes}m${rest}` : rest;
  return `${seconds < 0 ? '-' : ''}${parts}`;
}
