/** Addresses and names as Proxmox VE tells them apart. */
import { isIPv4, isIPv6 } from 'node:net';

const LABEL = '[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?';
const DNS_NAME = new RegExp(`^(${LABEL}\\.)*${LABEL}\n?$`);
/** Perl's patterns let one line break follow. */
const line = (text: string) => text.replace(/\n$/, '');

export const isIpv4 = (text: string) => isIPv4(line(text));
/** Without a zone: Proxmox takes none. */
export const isIpv6 = (text: string) => isIPv6(line(text)) && !text.includes('%');
export const isIp = (text: string) => isIpv4(text) || isIpv6(text);
export const isDnsName = (text: string) => DNS_NAME.test(text);

export function isCidrV4(text: string): boolean {
  const [, address = '', bits = ''] = /^(.*)\/(\d+)\n?$/.exec(text) ?? [];
  return isIpv4(address) && Number(bits) > 7 && Number(bits) <= 32;
}

export function isCidrV6(text: string): boolean {
  const [, address = '', bits = ''] = /^(.*)\/(\d+)\n?$/.exec(text) ?? [];
  return isIpv6(address) && Number(bits) > 7 && Number(bits) <= 128;
}

export function isNetmask(text: string): boolean {
  if (!isIpv4(text)) return false;
  const bits = text
    .split('.')
    .map((octet) => Number(octet).toString(2).padStart(8, '0'))
    .join('');
  return /^1*0*$/.test(bits);
}

/** 16 bits each. */
function groupsOf(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const parse = (text: string) =>
    text.split(':').flatMap((group) => {
      if (group === '') return [];
      if (!group.includes('.')) return [Number.parseInt(group, 16)];
      const [a = 0, b = 0, c = 0, d = 0] = group.split('.').map(Number);
      return [a * 256 + b, c * 256 + d];
    });
  const [first, last] = [parse(head), parse(tail ?? '')];
  const missing = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array<number>(missing).fill(0), ...last];
}

/** What kind of address it is, in the words of Perl's Net::IP. */
export function ipv6Type(address: string): string {
  const groups = groupsOf(address.trim());
  const [one = 0, two = 0, three = 0, four = 0] = groups;
  const zeroUntil = (count: number) => groups.slice(0, count).every((group) => group === 0);
  if (zeroUntil(8)) return 'UNSPECIFIED';
  if (zeroUntil(7) && groups[7] === 1) return 'LOOPBACK';
  if (zeroUntil(5) && groups[5] === 0xffff) return 'IPV4MAP';
  if (one === 0x100 && two === 0 && three === 0 && four === 0) return 'DISCARD';
  if (one === 0x2001) {
    if (two === 0) return 'TEREDO';
    if (two === 2 && three === 0) return 'BMWG';
    if (two === 0xdb8) return 'DOCUMENTATION';
    if (two >> 4 === 1) return 'ORCHID';
  }
  if (one === 0x2002) return '6TO4';
  if (one >> 13 === 1) return 'GLOBAL-UNICAST';
  if (one >> 9 === 0x7e) return 'UNIQUE-LOCAL-UNICAST';
  if (one >> 6 === 0x3fa) return 'LINK-LOCAL-UNICAST';
  return one >> 8 === 0xff ? 'MULTICAST' : 'RESERVED';
}
