/**
 * Proxmox property strings: `local-zfs:vm-101-disk-0,discard=on,size=20G`.
 * Rules and messages follow pve-common `PVE::JSONSchema::parse_property_string` and the recordings
 * `tags-and-options`, `invalid-params-create` and `vm-create-seabios`.
 */

import { type Bytes, bytes, formatProxmoxSize } from '../../model/size.js';
import { setOwn } from '../text/mapping.js';

/** Keys to values; the default key is present under its own name. */
type Properties = Readonly<Record<string, string>>;

export class PropertyStringError extends Error {
  override readonly name = 'PropertyStringError';
}

/** `defaultKey` is the key that may be left out: `file` in drives, `enabled` in `agent`. */
export function parsePropertyString(text: string, defaultKey?: string): Properties {
  const result = new Map<string, string>();
  for (const part of text.split(',')) {
    if (part.trim() === '') continue;
    const equals = part.indexOf('=');
    if (equals < 0) {
      if (defaultKey === undefined) {
        throw new PropertyStringError('value without key, but schema does not define a default key');
      }
      put(result, defaultKey, part);
    } else if (equals === 0 || equals === part.length - 1) {
      throw new PropertyStringError('missing key in comma-separated list property');
    } else {
      put(result, part.slice(0, equals), part.slice(equals + 1));
    }
  }
  return Object.fromEntries(result);
}

function put(result: Map<string, string>, key: string, value: string): void {
  if (result.has(key)) {
    throw new PropertyStringError(`duplicate key in comma-separated list property: ${key}`);
  }
  result.set(key, value);
}

/** As Proxmox prints one: the default key first and bare, the others in alphabetical order. */
export function printPropertyString(
  properties: Readonly<Record<string, string | number | undefined>>,
  defaultKey?: string,
): string {
  const bare = defaultKey === undefined ? undefined : properties[defaultKey];
  const rest = Object.entries(properties)
    .filter(([key, value]) => key !== defaultKey && value !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`);
  return (bare === undefined ? rest : [String(bare), ...rest]).join(',');
}

/** Inside property strings Proxmox takes more words for a boolean than in a form (`parse_boolean`). */
export function parseBoolean(text: string): boolean | undefined {
  if (/^(1|on|yes|true)$/i.test(text)) return true;
  if (/^(0|off|no|false)$/i.test(text)) return false;
  return undefined;
}

/** `20G`, `528K`, `1073741824`; `undefined` where Proxmox would not take it as a disk size. */
export function parseProxmoxSize(text: string): Bytes | undefined {
  const match = /^(\d+(?:\.\d+)?)([KMGT])?$/.exec(text);
  if (!match) return undefined;
  const power = 'KMGT'.indexOf(match[2] ?? ' ') + 1;
  const value = Math.floor(Number(match[1]) * 1024 ** power);
  return Number.isSafeInteger(value) ? bytes(value) : undefined;
}

/** One drive of a VM, as its config line says it. */
export interface Drive {
  /** A volume id, `none`, `cdrom`, or `storage:SIZE` where one is asked for. */
  readonly file: string;
  readonly size?: Bytes;
  /** Everything but file and size; booleans as `1` and `0`. */
  readonly options: Properties;
}

const DRIVE_BOOLEANS = new Set([
  'backup',
  'detect_zeroes',
  'iothread',
  'pre-enrolled-keys',
  'replicate',
  'ro',
  'scsiblock',
  'shared',
  'snapshot',
  'ssd',
]);

export function parseDrive(text: string): Drive {
  const { file: byFile, volume, size: sizeText, ...rest } = parsePropertyString(text, 'file');
  // `volume` is an alias of `file` in the schema.
  const file = byFile ?? volume;
  if (file === undefined) throw new PropertyStringError('file: property is missing and it is not optional');
  const options = canonicalBooleans(rest, DRIVE_BOOLEANS);
  if (sizeText === undefined) return { file, options };
  const size = parseProxmoxSize(sizeText);
  if (size === undefined) throw new PropertyStringError(`size: unable to parse '${sizeText}'`);
  return { file, size, options };
}

export function printDrive(drive: Drive): string {
  const size = drive.size === undefined ? undefined : formatProxmoxSize(drive.size);
  return printPropertyString({ ...drive.options, file: drive.file, size }, 'file');
}

/** One network device of a VM. */
export interface Net {
  readonly model: string;
  /** Upper case; absent where Proxmox shall make one up. */
  readonly mac?: string;
  /** Everything but model and MAC: `bridge`, `tag`, `queues`, … */
  readonly options: Properties;
}

/** Models of the schema of `net[n]`: each is also a key whose value is the MAC. */
const NET_MODELS: readonly string[] = [
  'e1000',
  'e1000-82540em',
  'e1000-82544gc',
  'e1000-82545em',
  'e1000e',
  'i82551',
  'i82557b',
  'i82559er',
  'ne2k_isa',
  'ne2k_pci',
  'pcnet',
  'rtl8139',
  'virtio',
  'vmxnet3',
];

const NET_BOOLEANS = new Set(['firewall', 'host-tunnel', 'link_down']);

export function parseNet(text: string): Net {
  const { model: byKey, macaddr, ...rest } = parsePropertyString(text, 'model');
  const options: Record<string, string> = {};
  let model = byKey;
  let mac = macaddr;
  for (const [key, value] of Object.entries(rest)) {
    if (!NET_MODELS.includes(key)) {
      setOwn(options, key, value);
      continue;
    }
    if (model !== undefined) throw new PropertyStringError("key alias 'model' is already defined");
    model = key;
    mac = value;
  }
  if (model === undefined) throw new PropertyStringError('model: property is missing and it is not optional');
  const canonical = canonicalBooleans(options, NET_BOOLEANS);
  return mac === undefined
    ? { model, options: canonical }
    : { model, mac: mac.toUpperCase(), options: canonical };
}

export function printNet(net: Net): string {
  const head = net.mac === undefined ? net.model : `${net.model}=${net.mac}`;
  const tail = printPropertyString(net.options);
  return tail === '' ? head : `${head},${tail}`;
}

function canonicalBooleans(properties: Properties, keys: ReadonlySet<string>): Properties {
  const result: Record<string, string> = { ...properties };
  for (const key of Object.keys(result)) {
    const truth = keys.has(key) ? parseBoolean(result[key] ?? '') : undefined;
    if (truth !== undefined) setOwn(result, key, truth ? '1' : '0');
  }
  return result;
}

/** Tags as Proxmox stores them: lower case, each once, sorted, joined by `;` (recording tags-and-options). */
export function printTags(tags: Iterable<string>): string {
  return [...new Set([...tags].map((tag) => tag.toLowerCase()))].sort().join(';');
}

/** Proxmox takes commas, semicolons and blanks between tags. */
export function parseTags(text: string): readonly string[] {
  return text.split(/[,;\s]+/).filter((tag) => tag !== '');
}
