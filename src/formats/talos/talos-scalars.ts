/** Scalars that Talos reads with a type of their own. Each check gives Talos' message, or nothing. */

type Check = (text: string) => string | undefined;

const oneOf =
  (type: string, ...values: string[]): Check =>
  (text) =>
    values.includes(text.toLowerCase()) ? undefined : `${text} does not belong to ${type} values`;

const ADDRESS_PARTS = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

function isAddress(text: string): boolean {
  const parts = ADDRESS_PARTS.exec(text);
  if (parts) return parts.slice(1).every((part) => Number(part) <= 255 && !/^0\d/.test(part));
  return isIPv6(text);
}

function isIPv6(text: string): boolean {
  const [body = ''] = text.split('%');
  const halves = body.split('::');
  if (!body.includes(':') || halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  const last = groups.at(-1) ?? '';
  const size = groups.length + (ADDRESS_PARTS.test(last) ? 1 : 0);
  const good = groups.every(
    (group, at) => /^[0-9a-f]{1,4}$/i.test(group) || (at === groups.length - 1 && isAddress(group)),
  );
  return good && (halves.length === 2 ? size < 8 : size === 8);
}

/** As Go's netip.ParseAddr. */
export function addressProblem(text: string): string | undefined {
  if (isAddress(text)) return undefined;
  const stray = /[^0-9a-fA-F.:%]/.exec(text);
  return stray && /^\d+\.\d+\.\d+\.\d+/.test(text)
    ? `ParseAddr(${JSON.stringify(text)}): unexpected character (at ${JSON.stringify(text.slice(stray.index))})`
    : `ParseAddr(${JSON.stringify(text)}): unable to parse IP`;
}

/** As Go's netip.ParsePrefix. */
export function prefixProblem(text: string): string | undefined {
  const parse = `netip.ParsePrefix(${JSON.stringify(text)})`;
  const [ip = '', bits, ...rest] = text.split('/');
  if (bits === undefined) return `${parse}: no '/'`;
  if (rest.length > 0) return `${parse}: ParseAddr(${JSON.stringify(ip)}): unable to parse IP`;
  const problem = addressProblem(ip);
  if (problem !== undefined) return `${parse}: ${problem}`;
  if (!/^(0|[1-9]\d*)$/.test(bits)) return `${parse}: bad bits after slash: ${JSON.stringify(bits)}`;
  return Number(bits) > (ip.includes(':') ? 128 : 32) ? `${parse}: prefix length out of range` : undefined;
}

/** Nothing written is the zero value. */
const unlessEmpty =
  (check: Check): Check =>
  (text) =>
    text === '' ? undefined : check(text);

const address = unlessEmpty(addressProblem);
const prefix = unlessEmpty(prefixProblem);

/** As github.com/dustin/go-humanize reads sizes. */
const byteSize = unlessEmpty((text) => {
  const [, digits = '', unit = ''] = /^-?([\d.,]*)\s*(.*)$/s.exec(text) ?? [];
  if (digits === '' || Number.isNaN(Number(digits.replaceAll(',', '')))) {
    return `strconv.ParseFloat: parsing ${JSON.stringify(digits)}: invalid syntax`;
  }
  return /^([kmgtpe]?i?b|[kmgtpe]i?)?$/i.test(unit)
    ? undefined
    : `unhandled size name: ${unit.toLowerCase()}`;
});

const percentage: Check = (text) => {
  const [, digits = ''] = /^-?(.*)%$/.exec(text) ?? [];
  return /^\d+$/.test(digits) && Number(digits) <= 100 ? undefined : `percentage must be between 0 and 100`;
};

/** Only what Go's url.Parse refuses that people write: an address with a port and no scheme. */
const url: Check = (text) => {
  const first = text.split('/')[0] ?? '';
  if (/^[a-z][a-z0-9+.-]*:/i.test(text)) return undefined;
  return first.includes(':')
    ? `parse ${JSON.stringify(text)}: first path segment in URL cannot contain colon`
    : undefined;
};

/** As Go's encoding/base64 counts the place: the first byte that is wrong, or the end where bytes are missing. */
const base64: Check = (text) => {
  const clean = text.replaceAll(/[\r\n]/g, '');
  const good = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(clean)?.[0] ?? '';
  if (good === clean) return undefined;
  const bad = clean.slice(good.length).search(/[^A-Za-z0-9+/]/);
  return `illegal base64 data at input byte ${bad < 0 ? good.length : good.length + bad}`;
};

const CHECKS: Readonly<Record<string, Check>> = {
  base64,
  'meta.Addr': address,
  'netip.Addr': address,
  'meta.Prefix': prefix,
  'netip.Prefix': prefix,
  'block.ByteSize': byteSize,
  'block.Size': (text) => (text.includes('%') ? percentage(text) : byteSize(text)),
  'v1alpha1.DiskSize': byteSize,
  'v1alpha1.Endpoint': url,
  'v1alpha1.InstallDiskSizeMatcher': (text) => {
    const size = text.replace(/^\s*(<=|>=|==|<|>)?\s*/, '');
    const problem = byteSize(size);
    return problem && `failed to parse disk size ${size}: ${problem}`;
  },
  'nethelpers.AutoHostnameKind': oneOf('AutoHostnameKind', 'off', 'talos-addr', 'stable'),
  'nethelpers.VLANProtocol': oneOf('VLANProtocol', '802.1q', '802.1ad'),
  'nethelpers.ClientIdentifier': oneOf('ClientIdentifier', 'none', 'mac', 'duid'),
  'nethelpers.BondMode': oneOf(
    'BondMode',
    'balance-rr',
    'active-backup',
    'balance-xor',
    'broadcast',
    '802.3ad',
    'balance-tlb',
    'balance-alb',
  ),
  'nethelpers.LACPRate': oneOf('LACPRate', 'slow', 'fast'),
  'nethelpers.DefaultAction': oneOf('DefaultAction', 'accept', 'block'),
  'nethelpers.Protocol': oneOf('Protocol', 'tcp', 'udp', 'icmp', 'icmpv6'),
  'nethelpers.DNSProtocol': oneOf('DNSProtocol', 'do53', 'dot', 'doh'),
  'block.FilesystemType': oneOf(
    'FilesystemType',
    'none',
    'xfs',
    'vfat',
    'ext4',
    'iso9660',
    'swap',
    'virtiofs',
    'btrfs',
  ),
  'block.VolumeType': oneOf(
    'VolumeType',
    'partition',
    'disk',
    'tmpfs',
    'directory',
    'symlink',
    'overlay',
    'external',
  ),
  'block.EncryptionProviderType': oneOf('EncryptionProviderType', 'none', 'luks2'),
};

/** What Talos would say of this text as a value of the named type. */
export function scalarProblem(type: string, text: string): string | undefined {
  return CHECKS[type]?.(text);
}

/** Texts that mean Go's zero value: a patch with them changes nothing (unless the field is a pointer). */
const ZERO_TEXTS: Readonly<Record<string, string>> = {
  'nethelpers.AutoHostnameKind': 'off',
  'nethelpers.DefaultAction': 'accept',
  'block.FilesystemType': 'none',
  'block.EncryptionProviderType': 'none',
};

export function isZeroText(type: string, text: string): boolean {
  return text === '' || ZERO_TEXTS[type] === text;
}
