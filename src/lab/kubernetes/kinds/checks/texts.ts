import { isIP } from 'node:net';

/** What `apimachinery/pkg/util/validation` says of texts: each function gives its complaints, none where the text is right. */

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LOOSE_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const LOOSE_SUBDOMAIN = `${LOOSE_LABEL}(\\.${LOOSE_LABEL})*`;
const KEY = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const KEY_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

function whole(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`);
}

const IS_LABEL = whole(LABEL);
const IS_SUBDOMAIN = whole(SUBDOMAIN);
const IS_LOOSE_SUBDOMAIN = whole(LOOSE_SUBDOMAIN);
const IS_KEY = whole(KEY);
const IS_LABEL_VALUE = whole(`(${KEY})?`);

function patternText(text: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${text} (${shown === '' ? '' : `e.g. ${shown}`}regex used for validation is '${pattern}')`;
}

type Unit = 'bytes' | 'characters';

function lengthFaults(text: string, most: number, unit: Unit = 'characters'): string[] {
  return Buffer.byteLength(text) > most ? [`must be no more than ${most} ${unit}`] : [];
}

export function dnsLabelFaults(text: string): string[] {
  const start = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and";
  const faults = lengthFaults(text, 63);
  if (IS_LABEL.test(text)) return faults;
  if (IS_SUBDOMAIN.test(text)) return [...faults, 'must not contain dots'];
  const end = 'must start and end with an alphanumeric character';
  return [...faults, patternText(`${start} ${end}`, LABEL, 'my-name', '123-abc')];
}

const OLD_LABEL = '[a-z]([-a-z0-9]*[a-z0-9])?';

/** Labels of the older kind begin with a letter (`IsDNS1035Label`). */
export function dns1035Faults(text: string): string[] {
  const faults = lengthFaults(text, 63);
  if (new RegExp(`^${OLD_LABEL}$`).test(text)) return faults;
  const told =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character";
  return [...faults, patternText(told, OLD_LABEL, 'my-name', 'abc-123')];
}

const SUBDOMAIN_TEXT =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character";

export function subdomainFaults(text: string, unit: Unit = 'characters'): string[] {
  const faults = lengthFaults(text, 253, unit);
  return IS_SUBDOMAIN.test(text)
    ? faults
    : [...faults, patternText(SUBDOMAIN_TEXT, SUBDOMAIN, 'example.com')];
}

/** As a search path of DNS: underscores as well. */
export function looseSubdomainFaults(text: string): string[] {
  const said = SUBDOMAIN_TEXT.replace("'-' or", "'_', '-' or");
  const faults = lengthFaults(text, 253);
  return IS_LOOSE_SUBDOMAIN.test(text)
    ? faults
    : [...faults, patternText(said, LOOSE_SUBDOMAIN, 'example.com')];
}

export function wildcardSubdomainFaults(text: string): string[] {
  const said =
    "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character";
  const pattern = `\\*\\.${SUBDOMAIN}`;
  const faults = lengthFaults(text, 253);
  return whole(pattern).test(text) ? faults : [...faults, patternText(said, pattern, '*.example.com')];
}

/** `example.com/name`: a key of labels, annotations, node selectors. */
export function labelKeyFaults(key: string): string[] {
  const pattern = patternText(KEY_TEXT, KEY, 'MyName', 'my.name', '123-abc');
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${pattern} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const name = parts.at(-1) ?? '';
  const prefix = parts.length === 2 ? (parts[0] ?? '') : undefined;
  const faults: string[] = [];
  if (prefix === '') faults.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    faults.push(...subdomainFaults(prefix, 'bytes').map((fault) => `prefix part ${fault}`));
  }
  if (name === '') faults.push('name part must be non-empty');
  else faults.push(...lengthFaults(name, 63, 'bytes').map((fault) => `name part ${fault}`));
  if (!IS_KEY.test(name)) faults.push(`name part ${pattern}`);
  return faults;
}

export function labelValueFaults(value: string): string[] {
  const said = `a valid label must be an empty string or ${KEY_TEXT.replace('must consist', 'consist')}`;
  return [
    ...lengthFaults(value, 63, 'bytes'),
    ...(IS_LABEL_VALUE.test(value) ? [] : [patternText(said, `(${KEY})?`, 'MyValue', 'my_value', '12345')]),
  ];
}

/** A name that can be one part of a path. */
export function pathSegmentFaults(name: string): string[] {
  if (name === '.' || name === '..') return [`may not be '${name}'`];
  return ['/', '%'].filter((letter) => name.includes(letter)).map((letter) => `may not contain '${letter}'`);
}

export function portNameFaults(name: string): string[] {
  return [
    ...lengthFaults(name, 15),
    ...(/^[-a-z0-9]+$/.test(name)
      ? []
      : ['must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)']),
    ...(/[a-z]/.test(name) ? [] : ['must contain at least one letter (a-z)']),
    ...(name.includes('--') ? ['must not contain consecutive hyphens'] : []),
    ...(/^-|-$/.test(name) ? ['must not begin or end with a hyphen'] : []),
  ];
}

export function rangeFaults(value: number, least: number, most: number): string[] {
  return value >= least && value <= most ? [] : [`must be between ${least} and ${most}, inclusive`];
}

export function portFaults(port: number): string[] {
  return rangeFaults(port, 1, 65535);
}

/** Numbers of users and groups. */
export function idFaults(id: number): string[] {
  return rangeFaults(id, 0, 2_147_483_647);
}

export function percentFaults(text: string): string[] {
  const said = "a valid percent string must be a numeric string followed by an ending '%'";
  return /^[0-9]+%$/.test(text) ? [] : [patternText(said, '[0-9]+%', '1%', '93%')];
}

export function envNameFaults(name: string): string[] {
  return /^[ -<>-~]*$/.test(name)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];
}

export function headerNameFaults(name: string): string[] {
  const said = "a valid HTTP header must consist of alphanumeric characters or '-'";
  return /^[-A-Za-z0-9]+$/.test(name) ? [] : [patternText(said, '[-A-Za-z0-9]+', 'X-Header-Name')];
}

/** Keys of config maps and secrets. */
export function dataKeyFaults(key: string): string[] {
  const said = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
  const pattern = '[-._a-zA-Z0-9]+';
  const dots = key === '.' || key === '..' ? [`must not be '${key}'`] : [];
  return [
    ...lengthFaults(key, 253),
    ...(whole(pattern).test(key) ? [] : [patternText(said, pattern, 'key.name', 'KEY_NAME', 'key-name')]),
    ...(key.startsWith('..') && key !== '..' ? ["must not start with '..'"] : dots),
  ];
}

/** Leading zeroes are read as Go's older parser reads them. */
function withoutZeroes(address: string): string {
  return address.includes(':') ? address : address.replace(/(^|\.)0+(?=\d)/g, '$1');
}

export function ipFaults(text: string): string[] {
  if (isIP(text) !== 0 && !text.includes('%')) return [];
  if (isIP(withoutZeroes(text)) === 4) return ['must not have leading 0s'];
  return ['must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)'];
}

export function cidrFaults(text: string): string[] {
  const [address = '', bits = '', ...more] = text.split('/');
  const family = isIP(withoutZeroes(address));
  const most = family === 6 ? 128 : 32;
  const right = family !== 0 && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
  if (!right) return ['must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'];
  if (isIP(address) === 0 || /^0\d/.test(bits)) return ['must not have leading 0s in IP or prefix length'];
  return family === 4 && hasHostBits(address, Number(bits))
    ? ['must not have bits set beyond the prefix length']
    : [];
}

function hasHostBits(address: string, bits: number): boolean {
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  return number % 2 ** (32 - bits) !== 0;
}

/** `ValidateEndpointIP`: an address that other machines can reach. */
export function reachableFaults(text: string): string[] {
  if (text === '0.0.0.0' || text === '::') return [`may not be unspecified (${text})`];
  if (/^127\./.test(text) || text === '::1') {
    return ['may not be in the loopback range (127.0.0.0/8, ::1/128)'];
  }
  if (/^169\.254\./.test(text) || /^fe[89ab]/i.test(text)) {
    return ['may not be in the link-local range (169.254.0.0/16, fe80::/10)'];
  }
  return /^224\.0\.0\./.test(text) || /^ff02:/i.test(text)
    ? ['may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)']
    : [];
}
