/** Kubernetes quantities (`apimachinery/pkg/api/resource`): `1536Mi`, `500m`, `2`, `1e3`. */
const NANO = 1_000_000_000n;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
/** Suffix → its power of ten. */
const DECIMAL = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const MAX_BINARY = 9_223_372_036_854_775_807n * NANO;

interface Quantity {
  readonly nano: bigint;
  readonly family: 'binary' | 'decimal' | 'exponent';
  /** The text, where it is in canonical form already. */
  readonly text: string | undefined;
}

const FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const SUFFIX = "unable to parse quantity's suffix";

/** Why a text is no quantity, in the words of its parser. */
export function quantityFault(text: string): string | undefined {
  const parts = partsOf(text.trim());
  if (!parts) return FORMAT;
  return suffixOf(parts.suffix) ? undefined : SUFFIX;
}

interface Parts {
  readonly sign: string;
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: string;
}

function partsOf(text: string): Parts | undefined {
  if (text === '') return undefined;
  const match = /^([+-]?)0*(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  return { sign, whole, fraction, suffix };
}

function suffixOf(suffix: string): { family: Quantity['family']; power: number } | undefined {
  const decimal = DECIMAL.get(suffix);
  if (decimal !== undefined) return { family: 'decimal', power: decimal };
  const binary = BINARY.indexOf(suffix);
  if (binary > 0) return { family: 'binary', power: binary * 10 };
  return /^[eE][-+]?\d+$/.test(suffix) ? { family: 'exponent', power: Number(suffix.slice(1)) } : undefined;
}

export function parseQuantity(given: string): Quantity | undefined {
  const text = given.trim();
  const parts = partsOf(text);
  const suffix = parts ? suffixOf(parts.suffix) : undefined;
  if (!parts || !suffix) return undefined;
  const { sign, whole, fraction } = parts;
  const { family, power } = suffix;
  const digits = BigInt(`${whole}${fraction}` || '0');
  let numerator = digits * NANO;
  let denominator = 10n ** BigInt(fraction.length);
  if (family === 'binary') numerator *= 2n ** BigInt(power);
  else if (power >= 0) numerator *= 10n ** BigInt(power);
  else denominator *= 10n ** BigInt(-power);
  // What is finer than a billionth is rounded up.
  let nano = (numerator + denominator - 1n) / denominator;
  if (family === 'binary' && nano > MAX_BINARY) nano = MAX_BINARY;
  return { nano: sign === '-' ? -nano : nano, family, text: keptText(text, parts, suffix) };
}

/** Go keeps the text of a small number that needs no other suffix: `1E3`, `1500Mi`. */
function keptText(
  text: string,
  { sign, whole, fraction }: Parts,
  { family, power }: { family: Quantity['family']; power: number },
): string | undefined {
  const number = whole === '' ? '0' : whole;
  const shifted = `${number}${fraction}`;
  if (shifted.length > 15 || sign === '+') return undefined;
  if (family === 'binary') return fraction === '' && (BigInt(number) & 7n) !== 0n ? text : undefined;
  const scale = power - fraction.length;
  return scale >= -9 && scale % 3 === 0 && !shifted.endsWith('000') && shifted[0] !== '0' ? text : undefined;
}

/** The one way to write it. `milli`: as in a list of resources, where thousandths are the finest. */
export function canonicalQuantity(text: string, milli = false): string {
  const quantity = parseQuantity(text);
  if (!quantity) return text;
  let { nano } = quantity;
  const rounded = milli ? roundUp(nano, 1_000_000n) : nano;
  if (rounded === nano && quantity.text !== undefined) return quantity.text;
  nano = rounded;
  if (nano === 0n) return '0';
  const small = nano > -1024n * NANO && nano < 1024n * NANO;
  if (quantity.family === 'binary' && !small && nano % NANO === 0n) {
    const { value, steps } = reduced(nano / NANO, 1024n, BINARY.length - 1);
    return `${value}${BINARY[steps] ?? ''}`;
  }
  const { value, steps } = reduced(nano, 1000n, quantity.family === 'exponent' ? 100 : 9);
  const power = steps * 3 - 9;
  if (quantity.family === 'exponent') return `${value}${power === 0 ? '' : `e${power}`}`;
  return `${value}${[...DECIMAL].find(([, of]) => of === power)?.[0] ?? ''}`;
}

function roundUp(value: bigint, to: bigint): bigint {
  const size = value < 0n ? -value : value;
  const up = ((size + to - 1n) / to) * to;
  return value < 0n ? -up : up;
}

function reduced(of: bigint, by: bigint, most: number): { value: bigint; steps: number } {
  let value = of;
  let steps = 0;
  while (steps < most && value % by === 0n) {
    value /= by;
    steps += 1;
  }
  return { value, steps };
}

/** As a number: bytes, cores, pods. `NaN` where the text is no quantity. */
export function quantityValue(text: string): number {
  const quantity = parseQuantity(text);
  return quantity ? Number(quantity.nano) / 1e9 : Number.NaN;
}
