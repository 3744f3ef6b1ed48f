/** `/nodes/{node}/qemu/{vmid}/cloudinit…`: what the drive was made with, and what it would say (recording cloud-init). */
import { createHash } from 'node:crypto';
import { parseNet, parsePropertyString } from '../../../../formats/proxmox/property-string.js';
import { type Call, type Handlers, PveError } from '../../api.js';
import { nodeOf, vmidOf } from '../../http/request.js';
import { assertUnlocked, loadVm, saveVm } from '../vms.js';
import { CLOUD_INIT_KEYS, isNetKey } from './config-keys.js';
import { type Config, shown } from './vm-config.js';

const BASE = '/nodes/{node}/qemu/{vmid}/cloudinit';

export const cloudInitHandlers: Handlers = {
  [`GET ${BASE}`]: listOptions,
  [`PUT ${BASE}`]: (call) => {
    const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
    assertUnlocked(vm.config);
    delete vm.cloudinit;
    saveVm(call.pve, vm);
    return null;
  },
  [`GET ${BASE}/dump`]: dump,
};

/** With the value the drive has, where the config has moved on since. */
function listOptions(call: Call): unknown {
  const vm = loadVm(call.pve, nodeOf(call), vmidOf(call));
  const config = shown(vm.config);
  const { added: addedList, ...recorded } = vm.cloudinit ?? {};
  const before = shown(recorded);
  const added = (addedList ?? '').split(',').filter((key) => key !== '');
  const result: unknown[] = added.map((key) => ({ key, pending: config[key] }));
  for (const key of CLOUD_INIT_KEYS) {
    const value = config[key];
    if (!value || added.includes(key)) continue;
    result.push(before[key] === undefined ? { key, value } : { key, value: before[key], pending: value });
  }
  for (const key of Object.keys(before)) if (!config[key]) result.push({ key, delete: 1 });
  return result;
}

function dump(call: Call): string {
  const { config } = loadVm(call.pve, nodeOf(call), vmidOf(call));
  const masked = !call.allows(`/vms/${vmidOf(call)}`, ['VM.Config.Cloudinit']);
  const type = call.text('type');
  if (type === 'user') return userData(config, vmidOf(call), masked);
  if (type === 'network') return networkConfig(config);
  const seed = userData(config, vmidOf(call), false) + networkConfig(config);
  return `instance-id: ${createHash('sha1').update(seed).digest('hex')}\n`;
}

function userData(config: Config, vmid: number, masked: boolean): string {
  const [hostname = '', ...domain] = (config.name ?? `VM${vmid}`).split('.');
  const search = domain.join('.') || (config.searchdomain ?? '').split(/[\s,;]+/)[0];
  const keys = decodeURIComponent(config.sshkeys ?? '')
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

/** Version 1 of the network config, as for Linux guests. */
function networkConfig(config: Config): string {
  const lines = ['version: 1', 'config:'];
  for (const key of Object.keys(config).filter(isNetKey).sort()) {
    const id = key.slice(3);
    const ipconfig = config[`ipconfig${id}`];
    if (ipconfig === undefined) continue;
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
  const words = (text: string | undefined) => (text ?? '').split(/[\s,;]+/).filter((word) => word !== '');
  const servers = words(config.nameserver);
  const domains = words(config.searchdomain);
  if (servers.length + domains.length > 0) lines.push('    - type: nameserver');
  if (servers.length > 0) lines.push('      address:', ...servers.map((server) => `      - '${server}'`));
  if (domains.length > 0) lines.push('      search:', ...domains.map((domain) => `      - '${domain}'`));
  return `${lines.join('\n')}\n`;
}

function subnets(ipconfig: string): string[] {
  const { ip, gw, ip6, gw6 } = parsePropertyString(ipconfig);
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
