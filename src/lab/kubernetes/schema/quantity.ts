/** Kubernetes quantities (`apimachinery/pkg/api/resource`): `1536Mi`, `500m`, `2`. */
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL = ['m', '', 'k', 'M', 'G', 'T', 'P', 'E'];

interface Quantity {
  /** In thousandths. */
  readonly milli: bigint;
  readonly family: 'binary' | 'decimal';
}

export function parseQuantity(text: string): Quantity | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([KMGTPE]i|[mkMGTPE]|[eE][+-]?\d+)?$/.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(`${whole}${fraction}` || '0');
  const binary = suffix === '' ? -1 : BINARY.indexOf(suffix);
  let numerator = digits * 1000n;
  let denominator = 10n ** BigInt(fraction.length);
  if (binary > 0) numerator *= 1024n ** BigInt(binary);
  else if (/^[eE]/.test(suffix)) {
    const exponent = Number(suffix.slice(1));
    if (exponent >= 0) numerator *= 10n ** BigInt(exponent);
    else denominator *= 10n ** BigInt(-exponent);
  } else if (suffix === 'm') denominator *= 1000n;
  else if (suffix !== '') numerator *= 1000n ** BigInt(DECIMAL.indexOf(suffix) - 1);
  // Finer than a thousandth is rounded up.
  const milli = (numerator + denominator - 1n) / denominator;
  return { milli: sign === '-' ? -milli : milli, family: binary > 0 ? 'binary' : 'decimal' };
}

/** The one way to write it: the largest suffix of its family that keeps the number whole. */
export function canonicalQuantity(text: string): string {
  const quantity = parseQuantity(text);
  if (!quantity) return text;
  const { milli, family } = quantity;
  if (milli === 0n) return '0';
  if (family === 'binary' && milli % 1000n === 0n) {
    let value = milli / 1000n;
    let index = 0;
    while (index < BINARY.length - 1 && value % 1024n === 0n) {
      value /= 1024n;
      index += 1;
    }
    return `${value}${BINARY[index] ?? ''}`;
  }
  let value = milli;
  let index = 0;
  while (index < DECIMAL.length - 1 && value % 1000n === 0n) {
    value /= 1000n;
    index += 1;
  }
  return `${value}${DECIMAL[index] ?? ''}`;
}

/** As a number: bytes, cores, pods. `NaN` where the text is no quantity. */
export function quantityValue(text: string): number {
  const quantity = parseQuantity(text);
  return quantity ? Number(quantity.milli) / 1000 : Number.NaN;
}
