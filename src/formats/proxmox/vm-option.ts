/**
 * Whether two values of a VM option mean the same to Proxmox. An option that is not set has the default
 * of the API schema, so a VM on which a default was written out does not differ from one on which it was not.
 */
import { ownValue } from '../text/mapping.js';
import {
  type Drive,
  type Net,
  PropertyStringError,
  parseBoolean,
  parseDrive,
  parseNet,
  parsePropertyString,
  parseTags,
  printNet,
  printPropertyString,
  printTags,
} from './property-string.js';

export type OptionValue = string | number | undefined;

/** Defaults of `POST /nodes/{node}/qemu` for the options that we set. */
const DEFAULTS: Readonly<Record<string, string>> = {
  acpi: '1',
  agent: '0',
  bios: 'seabios',
  cores: '1',
  cpu: 'kvm64',
  description: '',
  keyboard: 'en-us',
  machine: 'pc',
  memory: '512',
  nameserver: '',
  numa: '0',
  onboot: '0',
  ostype: 'other',
  protection: '0',
  scsihw: 'lsi',
  searchdomain: '',
  sockets: '1',
  tablet: '1',
  tags: '',
};

const BOOLEANS = new Set(['acpi', 'numa', 'onboot', 'protection', 'tablet']);

interface StringFormat {
  readonly defaultKey?: string;
  readonly defaults: Readonly<Record<string, string>>;
  readonly booleans: readonly string[];
}

const FORMATS: Readonly<Record<string, StringFormat>> = {
  agent: {
    defaultKey: 'enabled',
    defaults: { enabled: '0', 'freeze-fs': '1', fstrim_cloned_disks: '0', type: 'virtio' },
    booleans: ['enabled', 'freeze-fs', 'fstrim_cloned_disks'],
  },
  boot: { defaultKey: 'legacy', defaults: {}, booleans: [] },
  cpu: { defaultKey: 'cputype', defaults: { hidden: '0' }, booleans: ['hidden'] },
  hostpci: {
    defaultKey: 'host',
    defaults: { pcie: '0', rombar: '1', 'x-vga': '0' },
    booleans: ['pcie', 'rombar', 'x-vga'],
  },
  ipconfig: { defaults: {}, booleans: [] },
  machine: { defaultKey: 'type', defaults: {}, booleans: [] },
  memory: { defaultKey: 'current', defaults: {}, booleans: [] },
  smbios: { defaults: { base64: '0' }, booleans: ['base64'] },
  startup: { defaultKey: 'order', defaults: {}, booleans: [] },
};

const NET_DEFAULTS: Readonly<Record<string, string>> = { firewall: '0', link_down: '0' };

/** What a drive has where its line does not say so. */
export const DRIVE_DEFAULTS: Readonly<Record<string, string>> = {
  backup: '1',
  cache: 'none',
  discard: 'ignore',
  iothread: '0',
  media: 'disk',
  replicate: '1',
  ssd: '0',
};

/** `sameVmOption('agent', '1', 'enabled=1,type=virtio')` is true. Drives: see `sameDriveOptions`. */
export function sameVmOption(key: string, a: OptionValue, b: OptionValue): boolean {
  return a === b || meaningOf(key, a) === meaningOf(key, b);
}

/** One text for all values of an option that mean the same; `undefined` is the option's default. */
export function meaningOf(key: string, value: OptionValue): string {
  const family = key.replace(/\d+$/, '');
  const text = value === undefined ? (ownValue(DEFAULTS, key) ?? '') : String(value).trim();
  if (key === 'tags') return printTags(parseTags(text));
  if (BOOLEANS.has(key)) return parseBoolean(text) === true ? '1' : '0';
  try {
    if (family === 'net' && text !== '') return printNet(withoutNetDefaults(parseNet(text)));
    const format = FORMATS[family];
    return format === undefined ? text : canonical(text, format);
  } catch (error) {
    // What Proxmox could not have stored equals only itself.
    if (error instanceof PropertyStringError) return text;
    throw error;
  }
}

/**
 * Whether two drives are set up alike. The file, its size and its format are the volume's, not options;
 * the comparison leaves them out.
 */
export function sameDriveOptions(a: Drive['options'], b: Drive['options']): boolean {
  return driveMeaning(a) === driveMeaning(b);
}

/** The options of a drive line, for `sameDriveOptions`. */
export function driveOptionsOf(line: string): Drive['options'] {
  return parseDrive(line).options;
}

function driveMeaning(options: Drive['options']): string {
  const { format: _, 'import-from': __, ...rest } = options;
  return printPropertyString(without(rest, DRIVE_DEFAULTS));
}

function withoutNetDefaults(net: Net): Net {
  return { ...net, options: without(net.options, NET_DEFAULTS) };
}

function canonical(text: string, format: StringFormat): string {
  const properties = Object.fromEntries(
    Object.entries(parsePropertyString(text, format.defaultKey)).map(([key, value]) => {
      const truth = format.booleans.includes(key) ? parseBoolean(value) : undefined;
      return [key, truth === undefined ? value : truth ? '1' : '0'];
    }),
  );
  return printPropertyString(without(properties, format.defaults));
}

function without(
  properties: Readonly<Record<string, string>>,
  defaults: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(Object.entries(properties).filter(([key, value]) => defaults[key] !== value));
}
