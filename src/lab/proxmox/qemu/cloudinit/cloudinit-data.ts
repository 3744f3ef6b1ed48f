/** What is on a VM's cloud-init drive (qemu-server `dump_cloudinit_config`). */
import { createHash } from 'node:crypto';
import { parseNet, parsePropertyString } from '../../../../formats/proxmox/property-string.js';
import { PveError } from '../../api.js';
import type { VmRecord } from '../../db.js';
import { isNetKey } from '../config/config-keys.js';
import { isWindows } from '../config/machine-type.js';
import type { Config } from '../config/vm-config.js';
import { decodeSshKeys } from './ssh-keys.js';

/** The host's own settings, for VMs that have none. */
interface Dns {
  readonly servers: readonly string[];
  readonly search: string;
}

interface CloudInitData {
  readonly user: string;
  readonly maskedUser: string;
  readonly network: string;
  readonly meta: string;
}

export function cloudInitData({ config, vmid }: VmRecord, host: Dns): CloudInitData {
  const user = userData(config, vmid, false);
  const dns = dnsOf(config, host);
  const isNoCloud = (config.citype ?? (isWindows(config.ostype) ? 'configdrive2' : 'nocloud')) === 'nocloud';
  const network = isNoCloud ? noCloudNetwork(config, dns) : configDriveNetwork(config, dns);
  const id = createHash('sha1').update(user).update(network).digest('hex');
  const meta = isNoCloud
    ? `instance-id: ${id}\n`
    : `{\n     "uuid": "${id}",\n     "network_config": { "content_path": "/content/0000" }\n}\n`;
  return { user, maskedUser: userData(config, vmid, true), network, meta };
}

interface Names {
  readonly servers: readonly string[];
  readonly domains: readonly string[];
}

/** Only blanks separate them here. */
function dnsOf({ nameserver, searchdomain }: Config, host: Dns): Names {
  const words = (text: string) => text.split(/\s+/).filter((word) => word !== '');
  return {
    servers: nameserver === undefined ? host.servers : words(nameserver),
    domains: words(searchdomain ?? host.search),
  };
}

function userData(config: Config, vmid: number, masked: boolean): string {
  const [hostname = '', ...domain] = (config.name ?? `VM${vmid}`).split('.');
  const search = domain.join('.') || config.searchdomain?.trim();
  const keys = decodeSshKeys(config.sshkeys ?? '')
    .split('\n')
    .filter((line) => /\S/.test(line));
  return [
    '#cloud-config',
    `hostname: ${hostname}`,
    'manage_etc_hosts: true',
    `fqdn: ${search ? `${hostname}.${search}` : hostname}`,
    ...(config.ciuser === undefined ? [] : [`user: ${config.ciuser}`]),
    ...(config.ciuser === 'root' ? ['disable_root: False'] : []),
    ...(config.cipassword === undefined ? [] : [`password: ${masked ? '**********' : config.cipassword}`]),
    ...(config.sshkeys === undefined ? [] : ['ssh_authorized_keys:', ...keys.map((key) => `  - ${key}`)]),
    'chpasswd:',
    '  expire: False',
    ...(config.ciuser === 'root' ? [] : ['users:', '  - default']),
    ...(config.ciupgrade === '0' ? [] : ['package_upgrade: true']),
    '',
  ].join('\n');
}

/** The network devices that have an address, in the order of their names. */
function addressed(
  config: Config,
): { key: string; id: string; ipconfig: Readonly<Record<string, string>> }[] {
  return Object.keys(config)
    .filter(isNetKey)
    .sort()
    .flatMap((key) => {
      const id = key.slice(3);
      const ipconfig = config[`ipconfig${id}`];
      return ipconfig ? [{ key, id, ipconfig: parsePropertyString(ipconfig.trim()) }] : [];
    });
}

/** Version 1 of the network config, as for Linux guests. */
function noCloudNetwork(config: Config, { servers, domains }: Names): string {
  const lines = ['version: 1', 'config:'];
  for (const { key, id, ipconfig } of addressed(config)) {
    const { mac } = parseNet(config[key] ?? '');
    if (mac === undefined) throw new PveError(500, `network interface '${key}' has no mac address`);
    lines.push(
      '    - type: physical',
      `      name: eth${id}`,
      `      mac_address: '${mac.toLowerCase()}'`,
      '      subnets:',
      ...subnets(ipconfig),
    );
  }
  lines.push('    - type: nameserver');
  if (servers.length > 0) lines.push('      address:', ...servers.map((server) => `      - '${server}'`));
  if (domains.length > 0) lines.push('      search:', ...domains.map((domain) => `      - '${domain}'`));
  return `${lines.join('\n')}\n`;
}

function subnets({ ip, gw, ip6, gw6 }: Readonly<Record<string, string>>): string[] {
  const lines: string[] = [];
  if (ip === 'dhcp') lines.push('      - type: dhcp4');
  else if (ip !== undefined) {
    const [address = '', bits = '32'] = ip.split('/');
    lines.push(
      '      - type: static',
      `        address: '${address}'`,
      `        netmask: '${netmask(Number(bits))}'`,
    );
    if (gw !== undefined) lines.push(`        gateway: '${gw}'`);
  }
  if (ip6 === 'dhcp') lines.push('      - type: dhcp6');
  else if (ip6 === 'auto') lines.push('      - type: ipv6_slaac');
  else if (ip6 !== undefined) {
    lines.push('      - type: static6', `        address: '${ip6}'`);
    if (gw6 !== undefined) lines.push(`        gateway: '${gw6}'`);
  }
  return lines;
}

function netmask(bits: number): string {
  return [0, 8, 16, 24].map((shift) => 256 - 2 ** (8 - Math.min(8, Math.max(0, bits - shift)))).join('.');
}

/** As `/etc/network/interfaces`, for Windows guests. */
function configDriveNetwork(config: Config, { servers, domains }: Names): string {
  const lines = ['auto lo', 'iface lo inet loopback', ''];
  if (servers.length > 0) lines.push(`        dns_nameservers ${servers.join(' ')}`);
  if (domains.length > 0) lines.push(`        dns_search ${domains.join(' ')}`);
  for (const { id, ipconfig } of addressed(config)) {
    const { ip, gw, ip6, gw6 } = ipconfig;
    lines.push(`auto eth${id}`);
    if (ip === 'dhcp') lines.push(`iface eth${id} inet dhcp`);
    else if (ip !== undefined) {
      const [address = '', bits = '32'] = ip.split('/');
      lines.push(`iface eth${id} inet static`, ...staticLines(address, netmask(Number(bits)), gw));
    }
    if (ip6 === 'dhcp' || ip6 === 'auto') lines.push(`iface eth${id} inet6 ${ip6}`);
    else if (ip6 !== undefined) {
      const [address = '', bits = ''] = ip6.split('/');
      lines.push(`iface eth${id} inet6 static`, ...staticLines(address, bits, gw6));
    }
  }
  return `${lines.join('\n')}\n`;
}

function staticLines(address: string, mask: string, gateway: string | undefined): string[] {
  const lines = [`address ${address}`, `netmask ${mask}`];
  if (gateway !== undefined) lines.push(`gateway ${gateway}`);
  return lines.map((line) => `        ${line}`);
}
