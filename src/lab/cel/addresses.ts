import { isIPv4, isIPv6 } from 'node:net';
import { CelScalar, type CelValue, celFunc, celMethod } from '@bufbuild/cel';
import { inside, tagged } from './tagged.js';

const { DYN, STRING, BOOL, INT } = CelScalar;
const ADDRESS = '@url';
const IP = '@ip';
const CIDR = '@cidr';

function addressOf(text: string): URL | undefined {
  if (text.startsWith('/')) return URL.canParse(text, 'path://x') ? new URL(text, 'path://x') : undefined;
  return URL.canParse(text) ? new URL(text) : undefined;
}

export function addresses() {
  const of = (value: CelValue): URL | undefined => {
    const text = inside(value, ADDRESS);
    return typeof text === 'string' ? addressOf(text) : undefined;
  };
  const relative = (url: URL | undefined) => url?.protocol === 'path:';
  const text = (name: string, read: (url: URL) => string) =>
    celMethod(name, DYN, [], STRING, function () {
      const url = of(this);
      return url ? read(url) : '';
    });
  return [
    celFunc('url', [STRING], DYN, (given) => {
      if (!addressOf(given))
        throw new Error(`URL parse error during conversion from string: parse "${given}"`);
      return tagged(ADDRESS, given);
    }),
    celFunc('isURL', [STRING], BOOL, (given) => addressOf(given) !== undefined),
    text('getScheme', (url) => (relative(url) ? '' : url.protocol.slice(0, -1))),
    text('getHost', (url) => (relative(url) ? '' : url.host)),
    text('getHostname', (url) => (relative(url) ? '' : url.hostname)),
    text('getPort', (url) => url.port),
    text('getEscapedPath', (url) => url.pathname),
    celMethod('getQuery', DYN, [], DYN, function () {
      const found = new Map<string, string[]>();
      for (const [key, value] of of(this)?.searchParams ?? [])
        found.set(key, [...(found.get(key) ?? []), value]);
      return found;
    }),
    celFunc('isIP', [STRING], BOOL, (given) => isIPv4(given) || isIPv6(given)),
    celFunc('ip', [STRING], DYN, (given) => {
      if (!isIPv4(given) && !isIPv6(given))
        throw new Error(`IP Address "${given}" parse error during conversion from string`);
      return tagged(IP, given);
    }),
    celMethod('ip', DYN, [], DYN, function () {
      return tagged(IP, networkOf(this).address);
    }),
    celMethod('family', DYN, [], INT, function () {
      const address = inside(this, IP);
      return typeof address === 'string' && isIPv6(address) ? 6n : 4n;
    }),
    celFunc(
      'ip.isCanonical',
      [STRING],
      BOOL,
      (given) => isIPv4(given) || (isIPv6(given) && given === canonicalIp(given)),
    ),
    celFunc('isCIDR', [STRING], BOOL, (given) => networkFrom(given) !== undefined),
    celFunc('cidr', [STRING], DYN, (given) => {
      if (!networkFrom(given))
        throw new Error(`network address parse error during conversion from string: "${given}"`);
      return tagged(CIDR, given);
    }),
    celMethod('prefixLength', DYN, [], INT, function () {
      return BigInt(networkOf(this).length);
    }),
    celMethod('containsIP', DYN, [DYN], BOOL, function (other) {
      const address = typeof other === 'string' ? other : inside(other, IP);
      return typeof address === 'string' && holdsAddress(networkOf(this), address);
    }),
  ];
}

interface Network {
  readonly address: string;
  readonly length: number;
}

function networkFrom(text: string): Network | undefined {
  const [address = '', length = ''] = text.split('/');
  const most = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
  return /^\d+$/.test(length) && Number(length) <= most ? { address, length: Number(length) } : undefined;
}

function networkOf(value: CelValue): Network {
  const text = inside(value, CIDR);
  return (typeof text === 'string' ? networkFrom(text) : undefined) ?? { address: '', length: 0 };
}

const canonicalIp = (text: string) => new URL(`http://[${text}]`).hostname.slice(1, -1);

function bitsOf(address: string): bigint {
  if (isIPv4(address)) return address.split('.').reduce((bits, part) => bits * 256n + BigInt(part), 0n);
  const [head = '', tail = ''] = canonicalIp(address).split('::');
  const groups = (part: string) => part.split(':').filter(Boolean);
  const missing = 8 - groups(head).length - groups(tail).length;
  const all = [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail)];
  return all.reduce((bits, group) => bits * 65536n + BigInt(`0x${group}`), 0n);
}

function holdsAddress(network: Network, address: string): boolean {
  if (isIPv4(network.address) !== isIPv4(address)) return false;
  const shift = BigInt((isIPv4(address) ? 32 : 128) - network.length);
  return bitsOf(network.address) >> shift === bitsOf(address) >> shift;
}
