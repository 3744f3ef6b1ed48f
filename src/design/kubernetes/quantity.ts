const UNITS = [
  ['Ti', 1024 ** 4],
  ['Gi', 1024 ** 3],
  ['Mi', 1024 ** 2],
  ['Ki', 1024],
] as const;

/** Bytes as Kubernetes writes them: `20Gi`, `512Mi`; the largest unit that keeps the number whole. */
export function quantity(bytes: number): string {
  const unit = UNITS.find(([, factor]) => bytes > 0 && bytes % factor === 0);
  return unit ? `${bytes / unit[1]}${unit[0]}` : String(bytes);
}

const FACTORS: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
  T: 1e12,
  P: 1e15,
  ...Object.fromEntries(UNITS),
  Pi: 1024 ** 5,
};

/** `undefined` where the text is no amount of bytes. */
export function parseQuantity(text: string): number | undefined {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]*)$/.exec(text) ?? [];
  const factor = FACTORS[unit];
  return number === undefined || factor === undefined ? undefined : Math.round(Number(number) * factor);
}
