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
