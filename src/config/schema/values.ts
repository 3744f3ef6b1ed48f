/** Single values of oxherd.yaml: text that is parsed once into what it means. */
import { z } from 'zod';
import { parseAddressRange, parseCidr, parseIPv4 } from '../../model/address.js';
import { parseDuration } from '../../model/duration.js';
import { parseMac, parseVmid, VMID_MAX, VMID_MIN, type Vmid } from '../../model/identity.js';
import { parseSize } from '../../model/size.js';
import { parseVersion, type Version } from '../../model/version.js';
import { parseSecretRef, SECRET_FORMS } from '../secret-ref.js';

/** Shows a value in a message, shortened. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `\`${value.length > 60 ? `${value.slice(0, 57)}…` : value}\``;
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return `\`${String(value)}\``;
}

interface TextRule<T> {
  readonly parse: (text: string) => T | undefined;
  /** Completes "… is not": `an IPv4 address`. */
  readonly what: string;
  readonly example: string;
  readonly hint?: (input: unknown) => string | undefined;
}

/** Text with a meaning. */
function text<T>(rule: TextRule<T>) {
  // After the semicolon stands the advice: a message of zod's has no other place for it.
  const adviceFor = (input: unknown): string => {
    const hint = rule.hint?.(input);
    return hint === undefined ? '' : `; ${hint}`;
  };
  return z
    .string({
      error: (issue) =>
        issue.input === undefined
          ? undefined
          : { message: `${show(issue.input)} is not ${rule.what}${adviceFor(issue.input)}` },
    })
    .transform((value, context): T => {
      const parsed = rule.parse(value);
      if (parsed !== undefined) return parsed;
      context.addIssue({
        code: 'custom',
        message: `${show(value)} is not ${rule.what}${adviceFor(value)}`,
        params: { example: rule.example },
      });
      return z.NEVER;
    });
}

/** Text that must match a pattern and stays text; editors check the same pattern. */
export function pattern(expression: RegExp, what: string, example: string) {
  const parse = (value: string): string | undefined => (expression.test(value) ? value : undefined);
  return text({ parse, what, example }).meta({ pattern: expression.source });
}

export const size = text({
  parse: parseSize,
  what: 'a size with a unit',
  example: '20GiB',
  hint: (input) =>
    /^\d+$/.test(String(input))
      ? `add the unit: \`${String(input)}GiB\` or \`${String(input)}MiB\``
      : undefined,
});

export const ipv4 = text({ parse: parseIPv4, what: 'an IPv4 address', example: '10.20.30.41' });

export const cidr = text({
  parse: parseCidr,
  what: 'a network',
  example: '10.20.30.0/24',
  hint: () => 'write the network address and the prefix, with host bits zero, like `10.20.30.0/24`',
});

export const addressRange = text({
  parse: parseAddressRange,
  what: 'a range of addresses',
  example: '10.20.30.200-10.20.30.220',
  hint: () =>
    'write the first and the last one (`10.20.30.200-10.20.30.220`), or a network (`10.20.30.192/27`)',
});

/** As firmware and Talos print it. */
export const uuid = text({
  parse: (value) =>
    /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value) ? value.toLowerCase() : undefined,
  what: 'a uuid',
  example: '853ca362-f588-4c52-af66-13262197de84',
});

export const mac = text({ parse: parseMac, what: 'a unicast MAC address', example: 'BC:24:11:2E:C8:02' });

export const duration = text({ parse: parseDuration, what: 'a duration', example: '5m' });

export const version = text({ parse: parseVersion, what: 'a version', example: 'v1.14.1' });

/** `v1.13`, or a whole version of which only the minor counts. */
export const minorVersion = text({
  parse: (value): Version | undefined => {
    const minor = /^v?\d+\.\d+$/.test(value) ? parseVersion(`${value}.0`) : parseVersion(value);
    return minor && { ...minor, patch: 0, pre: '' };
  },
  what: 'a version',
  example: 'v1.13',
});

export const vmid = z
  .int({
    error: (issue) =>
      issue.input === undefined
        ? undefined
        : `${show(issue.input)} is not a VM id (${VMID_MIN} to ${VMID_MAX})`,
  })
  .min(VMID_MIN)
  .max(VMID_MAX)
  .transform((value, context): Vmid => {
    const parsed = parseVmid(value);
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: `${value} is not a VM id` });
    return z.NEVER;
  });

/** The value is never shown: it may be the secret itself. */
export const secretRef = z
  .string({
    error: (issue) => (issue.input === undefined ? undefined : { message: `expected ${SECRET_FORMS}` }),
  })
  .transform((value, context) => {
    const ref = parseSecretRef(value);
    if (ref) return ref;
    context.addIssue({
      code: 'custom',
      message: `expected where the secret is (${SECRET_FORMS}), not the secret itself`,
      params: {
        code: 'config.secret-in-file',
        hint: 'put the secret into an environment variable and write `env:ITS_NAME`; if the file was shared, create a new secret',
      },
    });
    return z.NEVER;
  });

const DNS_LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DNS_NAME = new RegExp(`^(?=.{1,253}$)${DNS_LABEL}(?:\\.${DNS_LABEL})*$`);

export function isDnsName(value: string): boolean {
  return DNS_NAME.test(value);
}

export const dnsName = pattern(DNS_NAME, 'a DNS name in lower case', 'talos.example.com');

export const dnsLabel = pattern(
  new RegExp(`^${DNS_LABEL}$`),
  'a DNS label (lower-case letters, digits and `-`, at most 63)',
  'homelab',
);

/** An IPv4 or IPv6 address, for resolvers. */
export const address = text({
  parse: (value) => (parseIPv4(value) || (/^[0-9a-f:.]+$/i.test(value) && isIPv6(value)) ? value : undefined),
  what: 'an IP address',
  example: '10.20.30.254',
});

/** A resolver of addresses or a time server: either is fine. */
export const serverName = text({
  parse: (value) => (parseIPv4(value) || isIPv6(value) || isDnsName(value) ? value : undefined),
  what: 'an address or a DNS name',
  example: 'time.cloudflare.com',
});

/** Pod and service networks may be IPv6 as well. */
export const subnet = text({
  parse: (value) => {
    if (parseCidr(value)) return value;
    const [network = '', prefix = ''] = value.split('/');
    return isIPv6(network) && /^\d{1,3}$/.test(prefix) && Number(prefix) <= 128 ? value : undefined;
  },
  what: 'a network',
  example: '10.244.0.0/16',
});

function isIPv6(value: string): boolean {
  if (!value.includes(':')) return false;
  const halves = value.split('::');
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === '' ? [] : half.split(':')));
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return false;
  return halves.length === 2 ? groups.length < 8 : groups.length === 8;
}

/** `https://host[:port]`, without a path. */
export function httpsOrigin(defaultPort: number, example: string) {
  return text({
    parse: (value) => {
      const match = /^https:\/\/(\[[0-9a-f:]+\]|[A-Za-z0-9.-]+)(?::(\d{1,5}))?\/?$/.exec(value);
      if (!match?.[1]) return undefined;
      const port = match[2] === undefined ? defaultPort : Number(match[2]);
      return port >= 1 && port <= 65_535 ? `https://${match[1].toLowerCase()}:${port}` : undefined;
    },
    what: 'an https address without a path',
    example,
  });
}

export const httpUrl = pattern(/^https?:\/\/[^\s/]+(\/\S*)?$/, 'a URL', 'https://factory.talos.dev');

export const sha256 = pattern(/^[0-9a-f]{64}$/, 'a sha256 in lower-case hex', 'e3b0c442…b855 (64 digits)');

/** SHA-256 of a certificate as Proxmox shows it: 32 bytes, colons between them. */
export const fingerprint = text({
  parse: (value) => {
    const hex = value.replaceAll(':', '').toUpperCase();
    return /^[0-9A-F]{64}$/.test(hex) ? (hex.match(/../g) ?? []).join(':') : undefined;
  },
  what: 'a SHA-256 fingerprint',
  example: 'AB:CD:… (32 bytes, as Proxmox shows it)',
});

/** Formats `pve-storage-id` and `pve-configid` of Proxmox VE 9. */
export const storageId = pattern(
  /^[A-Za-z][A-Za-z0-9._-]*[A-Za-z0-9]$/,
  'a Proxmox storage name',
  'local-zfs',
);

/** Host names in Proxmox: one label, no dots. */
const HOST_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

export function isHostName(value: string): boolean {
  return HOST_NAME.test(value);
}

export const hostName = pattern(HOST_NAME, 'a Proxmox host name', 'pve1');

/** Interface names are at most 15 characters on Linux. */
export const bridge = pattern(/^[A-Za-z][A-Za-z0-9_.-]{0,14}$/, 'a bridge name', 'vmbr0');

/** Format `pve-tag`; Proxmox stores tags in lower case. */
export const tag = pattern(
  /^[a-z0-9_][a-z0-9_+.-]*$/,
  'a Proxmox tag (lower-case letters, digits and `_-+.`, not starting with `-+.`)',
  'kubernetes',
);

export const filePath = z
  .string()
  .min(1, { error: 'the path is empty' })
  .refine((value) => !value.includes('\n'), { error: 'a path has one line' });

/** YAML that goes on as it is. */
export const fragment = z.record(z.string(), z.unknown());
/** The same, or as text, as the Terraform module took it. */
export const fragmentOrText = z.union([fragment, z.string()]);
