import { create, fromJson, type JsonObject, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { DurationSchema, StructSchema } from '@bufbuild/protobuf/wkt';
import { fromBase64Pem } from '../../../secrets/pem.js';
import { list, record } from '../config/config-document.js';
import { SPEC_SHAPES } from './spec-shapes.js';

/** Specs as Talos writes them on the wire, for clients that read types: the same values as in the YAML. */

interface Field {
  readonly name: string;
  readonly number: number;
  readonly type: string;
  readonly repeated: boolean;
}

const lines = SPEC_SHAPES.trim()
  .replaceAll(/\n {2}/g, ' ')
  .split('\n')
  .map((line) => line.split(' = '));

const shapes = new Map<string, readonly Field[]>();
const enumerations = new Map<string, ReadonlyMap<string, number>>();
for (const [name = '', content = ''] of lines) {
  const entries = content.split(' ').map((entry) => entry.split(':'));
  if (entries.every((entry) => entry.length === 2)) {
    enumerations.set(name, new Map(entries.map(([value = '', number]) => [value, Number(number)])));
  } else {
    shapes.set(
      name,
      entries.map(([field = '', number, ...type]) => ({
        name: plain(field),
        number: Number(number),
        type: type.join(':').replace('*', ''),
        repeated: type.join(':').startsWith('*'),
      })),
    );
  }
}

/** `undefined`: no one reads this kind by its type. */
export function protoSpec(type: string, spec: unknown): Uint8Array<ArrayBuffer> | undefined {
  const shape = shapes.get(type);
  if (!shape) return undefined;
  // A spec that is one value is the value of its only field.
  const first = shape[0]?.name ?? '';
  const values = typeof spec === 'string' ? { [first]: spec } : record(spec);
  return Uint8Array.from(encode(shape, values));
}

function encode(shape: readonly Field[], spec: Readonly<Record<string, unknown>>): Uint8Array {
  const values = new Map(Object.entries(spec).map(([key, value]) => [plain(key), value]));
  const writer = new BinaryWriter();
  for (const field of shape) {
    const value = values.get(field.name);
    if (value === undefined || value === null || value === '') continue;
    for (const one of field.repeated ? list(value) : [value]) writeField(writer, field, one);
  }
  return writer.finish();
}

function writeField(writer: BinaryWriter, { number, type, repeated }: Field, value: unknown): void {
  const delimited = (bytes: Uint8Array) => writer.tag(number, WireType.LengthDelimited).bytes(bytes);
  const varint = (integer: bigint | number | string) => {
    if (!repeated && Number(integer) === 0) return;
    writer.tag(number, WireType.Varint).int64(typeof integer === 'bigint' ? integer : String(integer));
  };
  const [kind, name = ''] = type.split(':');
  if (kind === 's') delimited(utf8(String(value)));
  else if (kind === 'y') delimited(bytesOf(value));
  else if (kind === 'pem') delimited(utf8(fromBase64Pem(String(value))));
  else if (kind === 'URL') delimited(urlMessage(record(value)));
  else if (kind === 'b') varint(value === true ? 1 : 0);
  else if (kind === 'u' || kind === 'i') varint(integerOf(value));
  else if (kind === 'e') varint(enumerations.get(name)?.get(plain(String(value))) ?? 0);
  else if (kind === 'm') delimited(encode(shapes.get(name) ?? [], record(value)));
  else if (kind === 'map') {
    for (const [key, item] of Object.entries(record(value))) delimited(mapEntry(key, String(item)));
  } else if (kind === 'NetIP') delimited(ipMessage(String(value)));
  else if (kind === 'NetIPPrefix') delimited(prefixMessage(String(value)));
  else if (kind === 'Duration') {
    const seconds = BigInt(Math.floor(Number(value) || 0));
    delimited(toBinary(DurationSchema, create(DurationSchema, { seconds })));
  } else if (kind === 'Struct') {
    delimited(
      toBinary(StructSchema, fromJson(StructSchema, JSON.parse(JSON.stringify(value)) as JsonObject)),
    );
  }
}

/** Flags as the kernel numbers them. */
const FLAGS: Readonly<Record<string, number>> = {
  UP: 0x1,
  BROADCAST: 0x2,
  RUNNING: 0x40,
  MULTICAST: 0x1000,
  LOWER_UP: 0x10000,
  permanent: 0x80,
};

/** A number, or flags by their names. */
function integerOf(value: unknown): bigint {
  const text = String(value);
  if (/^-?\d+$/.test(text)) return BigInt(text);
  return BigInt(text.split(',').reduce((sum, name) => sum + (FLAGS[name] ?? 0), 0));
}

/** `dev_path`, `devPath` and `devpath` are one name. */
function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A hardware address, or text. */
function bytesOf(value: unknown): Uint8Array {
  const text = String(value);
  return /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(text)
    ? Uint8Array.from(text.split(':'), (byte) => Number.parseInt(byte, 16))
    : utf8(text);
}

function mapEntry(key: string, value: string): Uint8Array {
  return new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .string(key)
    .tag(2, WireType.LengthDelimited)
    .string(value)
    .finish();
}

function ipBytes(address: string): Uint8Array {
  return Uint8Array.from(address.split('.').map(Number));
}

function ipMessage(address: string): Uint8Array {
  return new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(ipBytes(address)).finish();
}

function urlMessage({ scheme, host, path }: Readonly<Record<string, unknown>>): Uint8Array {
  const text = `${String(scheme)}://${String(host)}${String(path ?? '')}`;
  return new BinaryWriter().tag(1, WireType.LengthDelimited).string(text).finish();
}

function prefixMessage(cidr: string): Uint8Array {
  const [address = '', prefix = '32'] = cidr.split('/');
  return new BinaryWriter()
    .tag(1, WireType.LengthDelimited)
    .bytes(ipBytes(address))
    .tag(2, WireType.Varint)
    .int32(Number(prefix))
    .finish();
}
