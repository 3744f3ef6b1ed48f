declare const ipv4Brand: unique symbol;
/** A dotted IPv4 address without leading zeros. */
export type IPv4 = string & { readonly [ipv4Brand]: true };

export interface Cidr {
  /** The network's own address. */
  readonly network: IPv4;
  readonly prefix: number;
}

export function parseIPv4(text: string): IPv4 | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  return parts.every((p) => /^(0|[1-9]\d{0,2})$/.test(p) && Number(p) <= 255) ? (text as IPv4) : undefined;
}

export function ipv4ToNumber(ip: IPv4): number {
  return ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

export function ipv4FromNumber(value: number): IPv4 | undefined {
  if (!Number.isInteger(value) || value < 0 || value > 0xffffffff) return undefined;
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.') as IPv4;
}

/** The address `offset` places further on; `undefined` past the end of IPv4. */
export function addToIPv4(ip: IPv4, offset: number): IPv4 | undefined {
  return ipv4FromNumber(ipv4ToNumber(ip) + offset);
}

/** `undefined` unless host bits are zero: `10.0.0.0/24`, not `10.0.0.1/24`. */
export function parseCidr(text: string): Cidr | undefined {
  const [address, prefixText, ...rest] = text.split('/');
  if (address === undefined || prefixText === undefined || rest.length > 0) return undefined;
  const network = parseIPv4(address);
  if (!network || !/^(0|[1-9]\d?)$/.test(prefixText)) return undefined;
  const prefix = Number(prefixText);
  if (prefix > 32 || ipv4ToNumber(network) % 2 ** (32 - prefix) !== 0) return undefined;
  return { network, prefix };
}

/** The network of that prefix that the address lies in. */
export function networkOf(ip: IPv4, prefix: number): Cidr {
  const value = ipv4ToNumber(ip);
  return { network: ipv4FromNumber(value - (value % 2 ** (32 - prefix))) as IPv4, prefix };
}

export function formatCidr(cidr: Cidr): string {
  return `${cidr.network}/${cidr.prefix}`;
}

export function cidrContains(cidr: Cidr, ip: IPv4): boolean {
  const start = ipv4ToNumber(cidr.network);
  const value = ipv4ToNumber(ip);
  return value >= start && value < start + 2 ** (32 - cidr.prefix);
}

export function broadcastOf(cidr: Cidr): IPv4 {
  return ipv4FromNumber(ipv4ToNumber(cidr.network) + 2 ** (32 - cidr.prefix) - 1) as IPv4;
}

/** Both ends belong to it. */
export interface AddressRange {
  readonly first: IPv4;
  readonly last: IPv4;
}

/** `10.20.30.200-10.20.30.220`, `10.20.30.192/27` or one address. */
export function parseAddressRange(text: string): AddressRange | undefined {
  const cidr = parseCidr(text);
  if (cidr) return rangeOf(cidr);
  const [first, last, ...rest] = text.split('-').map((part) => parseIPv4(part.trim()));
  if (!first || rest.length > 0) return undefined;
  if (!text.includes('-')) return { first, last: first };
  return last && ipv4ToNumber(first) <= ipv4ToNumber(last) ? { first, last } : undefined;
}

export function rangeOf(cidr: Cidr): AddressRange {
  return { first: cidr.network, last: broadcastOf(cidr) };
}

export function formatRange({ first, last }: AddressRange): string {
  return first === last ? first : `${first}-${last}`;
}

export function rangeContains(range: AddressRange, ip: IPv4): boolean {
  return rangesOverlap(range, { first: ip, last: ip });
}

export function rangesOverlap(a: AddressRange, b: AddressRange): boolean {
  return ipv4ToNumber(a.first) <= ipv4ToNumber(b.last) && ipv4ToNumber(b.first) <= ipv4ToNumber(a.last);
}

/** Whether all of `inner` lies in `outer`. */
export function rangeWithin(inner: AddressRange, outer: AddressRange): boolean {
  return rangeContains(outer, inner.first) && rangeContains(outer, inner.last);
}
