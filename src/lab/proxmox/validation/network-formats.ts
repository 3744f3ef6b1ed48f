/** Formats of addresses, names and VLANs. */
import { isCidrV4, isCidrV6, isDnsName, isIp, isIpv4, isIpv6, isNetmask } from './addresses.js';
import { isTrue, matches, type Verify, when } from './verify.js';

function vlanRange(text: string): string | undefined {
  const [, start, end] = /^(\d+)(?:-(\d+))?$/.exec(text) ?? [];
  if (start === undefined) return `invalid VLAN configuration '${text}'`;
  const bad = [start, end].find((tag) => tag !== undefined && (Number(tag) < 2 || Number(tag) > 4094));
  if (bad !== undefined) return `invalid VLAN tag '${bad}'`;
  const falling = end !== undefined && Number(start) >= Number(end);
  return falling ? `VLAN range must go from lower to higher tag '${text}'` : undefined;
}

export const NETWORK_FORMATS: Readonly<Record<string, Verify>> = {
  'mac-addr': matches(
    /^[a-f0-9][02468ace](?::[a-f0-9]{2}){5}$/i,
    () => 'value does not look like a valid unicast MAC address',
  ),
  'mac-prefix': matches(
    /^[a-f0-9][02468ace](?::[a-f0-9]{2}){0,2}:?$/i,
    () => 'value is not a valid unicast MAC address prefix',
  ),
  ipv4: (text) => when(isIpv4(text), 'value does not look like a valid IPv4 address'),
  ipv6: (text) => when(isIpv6(text), 'value does not look like a valid IPv6 address'),
  ip: (text) => when(isIp(text), 'value does not look like a valid IP address'),
  ipv4mask: (text) => when(isNetmask(text), 'value does not look like a valid IP netmask'),
  CIDRv4: (text) => when(isCidrV4(text), 'value does not look like a valid IPv4 CIDR network'),
  CIDRv6: (text) => when(isCidrV6(text), 'value does not look like a valid IPv6 CIDR network'),
  CIDR: (text) => when(isCidrV4(text) || isCidrV6(text), 'value does not look like a valid CIDR network'),
  'pve-ipv4-config': (text) =>
    when(
      /^(dhcp|manual)$/.test(text) || isCidrV4(text),
      'value does not look like a valid ipv4 network configuration',
    ),
  'pve-ipv6-config': (text) =>
    when(
      /^(auto|dhcp|manual)$/.test(text) || isCidrV6(text),
      'value does not look like a valid ipv6 network configuration',
    ),
  'dns-name': (text) => when(isDnsName(text), 'value does not look like a valid DNS name'),
  address: (text) =>
    when(
      isTrue(text) && (isIp(text) || isDnsName(text)),
      `value does not look like a valid address: ${text}`,
    ),
  'pve-vlan-id-or-range': vlanRange,
};
