/** Formats that Proxmox VE checks with code: each gives the message of what is wrong, or nothing. */

import { isPrivilege } from '../access/privileges.js';
import { parseCalendar } from '../backup/calendar.js';
import { FIREWALL_FORMATS } from '../firewall/specs.js';
import { isCidrV4, isCidrV6, isDnsName, isIp } from './addresses.js';
import { NETWORK_FORMATS } from './network-formats.js';
import { isTrue, matches, perl, type Verify, when } from './verify.js';

const NODE = /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?$/;
const REALM = '[A-Za-z][A-Za-z0-9.\\-_]+';
const USER_ID = new RegExp(`^[^\\s:/]+@${REALM}\n?$`);
const TOKEN_ID = new RegExp(`^[^\\s:/]+@${REALM}![A-Za-z][A-Za-z0-9.\\-_]+\n?$`);
const VOLUME_ID = /^[a-z][a-z0-9\-_.]*[a-z0-9]:.+$/i;
const EMAIL = perl(/^[\w+\-~]+(\.[\w+\-~]+)*@[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*$/);
const EMAIL_USER = perl(/^[\w+\-~]+(\.[\w+\-~]+)*$/);
const CONTENT_TYPES = new Set(['images', 'rootdir', 'vztmpl', 'iso', 'backup', 'snippets', 'none', 'import']);
const HOTPLUG = /^(network|disk|cpu|memory|usb|cloudinit)$/;
const BOOT_DEVICES = { ide: 4, scsi: 31, virtio: 16, sata: 6, net: 32, usb: 14, hostpci: 16 };

/** Lists are separated by commas, semicolons, blanks or NUL bytes. */
export function splitList(text: string): string[] {
  return text.split(/[,;\s\0]+/).filter((item) => item !== '');
}

export function userIdProblem(given: string): string | undefined {
  const text = isTrue(given) ? given : '';
  if (text.length < 3) return `user name '${text}' is too short`;
  if (text.length > 64) return `user name '${text}' is too long (${text.length} > 64)`;
  return when(USER_ID.test(text), `value '${text}' does not look like a valid user name`);
}

export function isTokenId(text: string): boolean {
  return TOKEN_ID.test(text);
}

function namedId(kind: string): Verify {
  return (text) => {
    if (text.length < 2) return `${kind} ID '${text}' cannot be shorter than 2 characters`;
    return when(
      /^[a-z][a-z0-9\-_.]*[a-z0-9]\n?$/i.test(text),
      `${kind} ID '${text}' contains illegal characters`,
    );
  };
}

const storageId = namedId('storage');
const bridgeId = matches(/^[\w\-.]+$/, (text) => `invalid bridge ID '${text}'`);

/** One entry of `source:target` lists; `1` maps every name to itself. */
function pair(id: Verify): Verify {
  return (text) => {
    if (text === '1') return undefined;
    const names = /^[^:]+:[^:]+$/.test(text) ? text.split(':') : [text];
    const problem = names.map(id).find((found) => found !== undefined);
    return problem === undefined ? undefined : `entry '${text}' contains invalid ID - ${problem}\n\n`;
  };
}

function volumeIdOrPath(text: string): string | undefined {
  return when(text.startsWith('/') || VOLUME_ID.test(text), `unable to parse volume ID '${text}'`);
}

function bootDevice(text: string): string | undefined {
  const [, base, index] = /^([a-z]+)(0|[1-9]\d*)$/.exec(text) ?? [];
  const limit = BOOT_DEVICES[base as keyof typeof BOOT_DEVICES] ?? 0;
  return when(base !== undefined && Number(index) < limit, `invalid boot device '${text}'`);
}

function startupOrder(text: string): string | undefined {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  const good = isTrue(text) && parts.every((part) => /^((order=)?\d+|(up|down)=\d+)\n?$/.test(part));
  return when(good, 'unable to parse startup options');
}

function hotplugFeatures(text: string): string | undefined {
  if (text === '0' || text === '1') return undefined;
  const bad = splitList(text).find((feature) => !HOTPLUG.test(feature));
  return bad === undefined ? undefined : `invalid hotplug feature '${bad}'`;
}

function poolId(text: string): string | undefined {
  if (text.replace(/\/+$/, '').split('/').length > 3) {
    return `pool name '${text}' nested too deeply (max levels = 3)`;
  }
  const good = /^[A-Za-z0-9.\-_]+(?:\/[A-Za-z0-9.\-_]+){0,2}\n?$/.test(text);
  return when(good, `pool name '${text}' contains invalid characters`);
}

function cpuSet(text: string): string | undefined {
  const good = text.split(',').every((part) => {
    const [, from, to] = /^\s*(\d+)\s*(?:-\s*(\d+)\s*)?$/.exec(part) ?? [];
    return part.trim() === '' || (from !== undefined && (to === undefined || Number(from) <= Number(to)));
  });
  return when(good, 'unable to parse cpuset option');
}

function zfsBlockSize(text: string): string | undefined {
  const [, digits, unit] = /^([1-9]\d*)([km]?)$/i.exec(text) ?? [];
  if (digits === undefined) {
    return `invalid ZFS blocksize format '${text}'. Use a positive number (no leading zeros) with an optional 'k' or 'm' suffix.`;
  }
  const bytes = Number(digits) * (unit?.toLowerCase() === 'k' ? 1024 : unit ? 1024 ** 2 : 1);
  const good = bytes >= 512 && bytes <= 16 * 1024 ** 2 && Number.isInteger(Math.log2(bytes));
  return when(
    good,
    `value '${text}' is not a valid ZFS blocksize. Must be a power of 2 between 512B and 16MiB (e.g., 4k, 8k, 16k, 64k, 1m).`,
  );
}

/** A name or address with an optional port; brackets stand around any, a dot before the port of a plain IPv6. */
function isHostAndPort(text: string): boolean {
  if (/^[A-Za-z0-9\-.]+(:\d+)?\n?$/.test(text)) return true;
  const inside = /^\[(.+)\](?::\d+)?\n?$/.exec(text)?.[1];
  if (inside !== undefined) return isIp(inside) || /^[A-Za-z0-9\-.]+$/.test(inside);
  return isIp(text) || isIp(text.replace(/\.\d+$/, ''));
}

const VERIFY: Readonly<Record<string, Verify>> = {
  ...NETWORK_FORMATS,
  string: () => undefined,
  urlencoded: matches(/^[-%a-zA-Z0-9_.!~*'()]*$/, (text) => `invalid urlencoded string: ${text}`),
  'pve-configid': matches(/^[a-z][a-z0-9_-]+$/i, (text) => `invalid configuration ID '${text}'`),
  'pve-storage-id': storageId,
  'pve-bridge-id': bridgeId,
  'storage-pair': pair(storageId),
  'bridge-pair': pair(bridgeId),
  'pve-vmid': matches(/^[1-9]\d{2,8}$/, () => 'value does not look like a valid VM ID'),
  'pve-node': matches(NODE, () => 'value does not look like a valid node name'),
  'pve-ha-node': matches(
    /^[a-zA-Z0-9]([a-zA-Z0-9-]*[a-zA-Z0-9])?(:\d+)?$/,
    () => 'value does not look like a valid ha node',
  ),
  'pve-ha-resource-id': matches(/^[a-z]+:\S+$/, () => 'value does not look like a valid ha resource id'),
  'pve-ha-resource-or-vm-id': matches(
    /^([a-z]+:\S+|\d+)$/,
    () => 'value does not look like a valid ha resource id',
  ),
  email: (text) => when(EMAIL.test(text), 'value does not look like a valid email address'),
  'email-or-username': (text) =>
    when(
      EMAIL.test(text) || EMAIL_USER.test(text),
      'value does not look like a valid email address or user name',
    ),
  'ldap-simple-attr': matches(
    /^[a-zA-Z0-9]+$/,
    (text) => `value '${text}' does not look like a simple ldap attribute name`,
  ),
  'pve-iface': matches(
    /^[a-z][a-z0-9_]{1,20}([:.]\d+)?$/i,
    (text) => `invalid network interface name '${text}'`,
  ),
  'disk-size': matches(
    /^\d+(\.\d+)?([KMGT](iB)?)?$/,
    (text) => `value does not look like a valid disk size: ${text}`,
  ),
  'pve-startup-order': startupOrder,
  'pve-tag': matches(/^[a-z0-9_][a-z0-9_\-+.]*$/i, () => 'invalid characters in tag'),
  'pve-task-status-type': matches(/^(ok|error|warning|unknown)$/i, (text) => `invalid status '${text}'`),
  'pve-realm': matches(new RegExp(`^${REALM}$`), () => 'value does not look like a valid realm'),
  'pve-userid': userIdProblem,
  'pve-tokenid': (text) => when(isTokenId(text), `value '${text}' does not look like a valid token ID`),
  'pve-groupid': matches(/^[A-Za-z0-9.\-_]+$/, (text) => `group name '${text}' contains invalid characters`),
  'pve-roleid': matches(/^[A-Za-z0-9.\-_]+$/, (text) => `role name '${text}' contains invalid characters`),
  'pve-poolid': poolId,
  'pve-priv': (text) => when(isPrivilege(text), `invalid privilege '${text}'`),
  'pve-cpuset': cpuSet,
  'pve-phys-bits': (text) =>
    when(
      text === 'host' || (/^\d{1,2}\n?$/.test(text) && Number(text) >= 8 && Number(text) <= 64),
      "value must be an integer between 8 and 64 or 'host'",
    ),
  'pve-hotplug-features': hotplugFeatures,
  'pve-qm-bootdev': bootDevice,
  'pve-qm-bootdisk': (text) =>
    when(
      /^(ide|sata|scsi|virtio)\d+$/.test(text) && bootDevice(text) === undefined,
      `invalid boot disk '${text}'`,
    ),
  'pve-volume-id': matches(VOLUME_ID, (text) => `unable to parse volume ID '${text}'`),
  'pve-volume-id-or-absolute-path': volumeIdOrPath,
  'pve-volume-id-or-qm-path': (text) =>
    text === 'none' || text === 'cdrom' ? undefined : volumeIdOrPath(text),
  'pve-storage-content': (text) => when(CONTENT_TYPES.has(text), `invalid content type '${text}'`),
  'pve-storage-path': matches(/^\/[^;()]+/, () => 'value does not look like a valid absolute path'),
  'pve-storage-server': (text) =>
    when(isIp(text) || isDnsName(text), 'value does not look like a valid server name or IP address'),
  'pve-storage-vgname': matches(
    /^[a-z0-9][a-z0-9\-_.]*[a-z0-9]$/i,
    (text) => `lvm name '${text}' contains illegal characters`,
  ),
  'pve-storage-portal-dns': (text) =>
    when(isHostAndPort(text), 'value does not look like a valid portal address'),
  'pve-storage-options': matches(/^\S+$/, (text) => `invalid options '${text}'`),
  'pve-storage-zfs-blocksize': zfsBlockSize,
  'pve-dir-override': (text) => {
    const [, content, folder = ''] = /^([a-z]+)=([^.]*(?:\.?[^.]+)+)$/.exec(text) ?? [];
    if (content !== undefined && !CONTENT_TYPES.has(content)) return `invalid content type '${content}'`;
    const short = folder.length < 1023 && folder.split('/').every((part) => part.length < 255);
    return when(content !== undefined && short, `invalid override '${text}'`);
  },
  'pve-acme-domain': matches(
    /^[a-z0-9][a-z0-9_-]*(?:\.[a-z0-9][a-z0-9_-]*)+$/i,
    (text) => `value '${text}' does not look like a valid domain name!`,
  ),
  'pve-acme-alias': matches(
    /^[a-z0-9_][a-z0-9_-]*(?:\.[a-z0-9_][a-z0-9_-]*)+$/i,
    (text) => `value '${text}' does not look like a valid alias name!`,
  ),
  ...FIREWALL_FORMATS,
  'pve-sdn-subnet-id': (text) => {
    const [, address = '', length = ''] = text.split('-');
    const cidr = text.includes('/') ? text : `${address}/${length}`;
    return when(isCidrV4(cidr) || isCidrV6(cidr), 'value does not look like a valid CIDR network');
  },
  'pve-storage-path-in-property-string': matches(
    /^\/[^;,=()]+/,
    () =>
      'Value does not look like a valid absolute path. These symbols are currently not allowed in path: ;,=()',
  ),
  'pve-calendar-event': (text) =>
    parseCalendar(text) ? undefined : `invalid calendar event '${text}' - unable to parse calendar event`,
  'pve-day-of-week': matches(/^(mon|tue|wed|thu|fri|sat|sun)$/, (text) => `invalid day '${text}'`),
  'pve-replication-job-id': (text) => {
    const [, guest] = /^(\d+)-\d+\n?$/.exec(text) ?? [];
    const message = `invalid replication job id '${text}'`;
    if (guest === undefined) return message;
    return when(Number(guest) >= 100, `${message} (guest IDs < 100 are reserved)`);
  },
};

export function codeFormat(name: string): Verify {
  const verify = VERIFY[name];
  if (!verify) throw new Error(`no format ${name}`);
  return verify;
}
