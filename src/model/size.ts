declare const bytesBrand: unique symbol;
/** A number of bytes. Always a safe, non-negative integer. */
export type Bytes = number & { readonly [bytesBrand]: true };

const KIB = 1024;
export const MIB = KIB ** 2;
export const GIB = KIB ** 3;

/**
 * Proxmox counts in powers of two whatever the unit is called, and so did the Terraform module:
 * `20G`, `20GB` and `20GiB` are the same size here.
 */
const UNITS: Record<string, number> = {
  k: KIB,
  kb: KIB,
  kib: KIB,
  m: MIB,
  mb: MIB,
  mib: MIB,
  g: GIB,
  gb: GIB,
  gib: GIB,
  t: KIB ** 4,
  tb: KIB ** 4,
  tib: KIB ** 4,
};

export function bytes(value: number): Bytes {
  if (!Number.isSafeInteger(value) || value < 0) throw new RangeError(`not a size in bytes: ${value}`);
  return value as Bytes;
}

/** `undefined` where the text is no size with a unit. */
export function parseSize(text: string): Bytes | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([a-z]+)$/i.exec(text.trim());
  if (!match) return undefined;
  const unit = UNITS[(match[2] ?? '').toLowerCase()];
  if (unit === undefined) return undefined;
  const value = Number(match[1]) * unit;
  return Number.isSafeInteger(value) ? bytes(value) : undefined;
}

/** The largest binary unit that keeps the number whole: `20GiB`, `512MiB`, `1000B`. */
export function formatSize(size: Bytes): string {
  for (const [unit, factor] of [
    ['TiB', KIB ** 4],
    ['GiB', GIB],
    ['MiB', MIB],
    ['KiB', KIB],
  ] as const) {
    if (size > 0 && size % factor === 0) return `${size / factor}${unit}`;
  }
  return `${size}B`;
}

/** As Proxmox prints `size=`: `20G`, `528K`; the largest unit that keeps the number whole. */
export function formatProxmoxSize(size: Bytes): string {
  for (const [unit, factor] of [
    ['T', KIB ** 4],
    ['G', GIB],
    ['M', MIB],
    ['K', KIB],
  ] as const) {
    if (size % factor === 0) return `${size / factor}${unit}`;
  }
  return `${size}`;
}
