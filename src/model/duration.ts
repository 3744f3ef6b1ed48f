const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `90s`, `5m`, `1h30m`, `7d` in seconds; `undefined` where the text is no duration. */
export function parseDuration(text: string): number | undefined {
  if (!/^(\d+[dhms])+$/.test(text)) return undefined;
  let seconds = 0;
  let rank = Number.POSITIVE_INFINITY;
  for (const [, amount = '', unit = ''] of text.matchAll(/(\d+)([dhms])/g)) {
    const factor = UNIT_SECONDS[unit];
    // Units go from large to small, each once: `30m1h` and `1m1m` are slips of the pen.
    if (factor === undefined || factor >= rank) return undefined;
    rank = factor;
    seconds += Number(amount) * factor;
  }
  return Number.isSafeInteger(seconds) ? seconds : undefined;
}

/** The shortest text that means as many seconds: `1h30m`, `90s` becomes `1m30s`. */
export function formatDuration(seconds: number): string {
  if (!Number.isSafeInteger(seconds) || seconds < 0) throw new RangeError(`not a duration: ${seconds}`);
  let rest = seconds;
  let text = '';
  for (const [unit, factor] of Object.entries(UNIT_SECONDS).reverse()) {
    if (rest >= factor) text += `${Math.floor(rest / factor)}${unit}`;
    rest %= factor;
  }
  return text || '0s';
}

export function elapsed(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}
