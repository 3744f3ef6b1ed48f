/** DER, as far as certificates need it: each function gives the bytes of one value. */

export type Der = Uint8Array;

/** A value with its tag and length. */
export function der(tag: number, ...contents: readonly Uint8Array[]): Der {
  const body = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(body.length), body]);
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const digits = length.toString(16);
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | bytes.length]), bytes]);
}

export const sequence = (...contents: readonly Uint8Array[]): Der => der(0x30, ...contents);
export const set = (...contents: readonly Uint8Array[]): Der => der(0x31, ...contents);
export const octets = (bytes: Uint8Array): Der => der(0x04, bytes);
export const yes: Der = der(0x01, Buffer.from([0xff]));
export const nothing: Der = der(0x05);

/** Never negative: DER integers are signed. */
export function integer(bytes: Uint8Array): Der {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Buffer.from([0]) : bytes.subarray(first);
  return (digits[0] ?? 0) < 0x80 ? der(0x02, digits) : der(0x02, Buffer.from([0]), digits);
}

export const bits = (bytes: Uint8Array, unused = 0): Der => der(0x03, Buffer.from([unused]), bytes);

export function oid(dotted: string): Der {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value % 128];
  for (let left = Math.floor(value / 128); left > 0; left = Math.floor(left / 128))
    digits.unshift(0x80 | (left % 128));
  return digits;
}

/** PrintableString where its letters suffice, as Go decides; else UTF8String. */
export function text(value: string): Der {
  return der(/^[A-Za-z0-9 '()+,\-./:=?]*$/.test(value) ? 0x13 : 0x0c, Buffer.from(value, 'utf8'));
}

/** UTCTime until 2049, GeneralizedTime after it (RFC 5280, 4.1.2.5). */
export function time(date: Date): Der {
  const digits = `${date.toISOString().replace(/\.\d+/, '').replace(/[-:T]/g, '')}`;
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(digits.slice(2), 'latin1'))
    : der(0x18, Buffer.from(digits, 'latin1'));
}

interface Part {
  readonly tag: number;
  /** With tag and length. */
  readonly whole: Uint8Array;
  readonly content: Uint8Array;
}

/** The values that follow each other in these bytes. */
export function partsOf(bytes: Uint8Array): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at + 1] ?? 0;
    const more = first < 0x80 ? 0 : first & 0x7f;
    const length = more === 0 ? first : Number(`0x${hexOf(bytes.subarray(at + 2, at + 2 + more))}`);
    const start = at + 2 + more;
    const end = start + length;
    if (!(end <= bytes.length)) throw new RangeError('this is not DER: a value is longer than its bytes');
    parts.push({ tag: bytes[at] ?? 0, whole: bytes.subarray(at, end), content: bytes.subarray(start, end) });
    at = end;
  }
  return parts;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
