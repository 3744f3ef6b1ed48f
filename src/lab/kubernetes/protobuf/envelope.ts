import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { listOf, type Obj, objOf, textOf } from '../json.js';
import { isBuiltInType } from '../schema/field-facts.js';
import { decodeStruct, ProtobufError } from './decode.js';
import { encodeStruct } from './encode.js';

/** What every protobuf body of the API begins with, before a `runtime.Unknown` (`runtime/serializer/protobuf`). */
const MAGIC = Buffer.from('k8s\0');
const PREFIX = `[${[...MAGIC].join(' ')}]`;

/** API groups whose types are in a Go package with another name than the group's first word. */
const MODULES: Readonly<Record<string, string>> = {
  '': 'core',
  'autoscaling/v2': 'autoscalingv2',
  'rbac.authorization.k8s.io': 'rbac',
  'flowcontrol.apiserver.k8s.io': 'flowcontrol',
};

/** Messages of the API itself, which its core version carries. */
const META: ReadonlySet<string> = new Set([
  'APIGroup',
  'APIGroupList',
  'APIResourceList',
  'APIVersions',
  'DeleteOptions',
  'Status',
]);

/** The message of a kind; `undefined` where it has none, as custom kinds and tables. */
export function messageOf(apiVersion: string, kind: string): string | undefined {
  const [first = '', version] = apiVersion.split('/');
  const group = version === undefined ? '' : first;
  const module = META.has(kind) ? 'meta' : (MODULES[apiVersion] ?? MODULES[group] ?? group.split('.')[0]);
  const id = `${module}.${kind}`;
  return isBuiltInType(id) ? id : undefined;
}

function listMessageOf(apiVersion: string, kind: string): string | undefined {
  return kind.endsWith('List') ? messageOf(apiVersion, kind.slice(0, -'List'.length)) : undefined;
}

/** An object or a list as a protobuf body; `undefined` where its kind has no such form. */
export function encodeBody(body: unknown): Uint8Array | undefined {
  const object = objOf(body);
  const { kind } = object;
  const apiVersion = textOf(object.apiVersion) || 'v1';
  if (typeof kind !== 'string') return undefined;
  const id = messageOf(apiVersion, kind);
  if (id) return envelope(apiVersion, kind, encodeStruct(id, object));
  const item = listMessageOf(apiVersion, kind);
  return item ? envelope(apiVersion, kind, encodeList(item, object)) : undefined;
}

function encodeList(item: string, list: Obj): Uint8Array {
  const writer = new BinaryWriter();
  const field = (number: number, bytes: Uint8Array) =>
    writer.tag(number, WireType.LengthDelimited).bytes(bytes);
  field(1, encodeStruct('meta.ListMeta', objOf(list.metadata)));
  for (const each of listOf(list.items)) field(2, encodeStruct(item, objOf(each)));
  return writer.finish();
}

function envelope(apiVersion: string, kind: string, raw: Uint8Array): Uint8Array {
  const type = new BinaryWriter();
  type.tag(1, WireType.LengthDelimited).string(apiVersion);
  type.tag(2, WireType.LengthDelimited).string(kind);
  const unknown = new BinaryWriter();
  unknown.tag(1, WireType.LengthDelimited).bytes(type.finish());
  unknown.tag(2, WireType.LengthDelimited).bytes(raw);
  unknown.tag(3, WireType.LengthDelimited).string('');
  unknown.tag(4, WireType.LengthDelimited).string('');
  return Buffer.concat([MAGIC, unknown.finish()]);
}

/** One event of a watch: its length in four bytes, then a `WatchEvent`. */
export function encodeEvent(type: string, object: unknown): Uint8Array | undefined {
  const body = encodeBody(object);
  if (!body) return undefined;
  const raw = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(body).finish();
  const writer = new BinaryWriter();
  writer.tag(1, WireType.LengthDelimited).string(type);
  writer.tag(2, WireType.LengthDelimited).bytes(raw);
  const event = writer.finish();
  const length = Buffer.alloc(4);
  length.writeUInt32BE(event.length);
  return Buffer.concat([length, event]);
}

/** A body without its envelope, its fields still bytes. */
export interface Enveloped {
  readonly apiVersion: string;
  readonly kind: string;
  readonly raw: Uint8Array;
}

/** Throws a ProtobufError with what kube-apiserver says of such a body. */
export function openEnvelope(bytes: Buffer): Enveloped {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new ProtobufError(
      `provided data does not appear to be a protobuf message, expected prefix ${PREFIX}`,
    );
  }
  if (bytes.length === MAGIC.length) throw new ProtobufError('empty body');
  const found: { apiVersion: string; kind: string; raw: Uint8Array } = {
    apiVersion: '',
    kind: '',
    raw: new Uint8Array(),
  };
  readParts(bytes.subarray(MAGIC.length), (number, part) => {
    if (number === 2) found.raw = part;
    if (number !== 1) return;
    readParts(part, (inner, text) => {
      if (inner === 1) found.apiVersion = Buffer.from(text).toString();
      if (inner === 2) found.kind = Buffer.from(text).toString();
    });
  });
  return found;
}

function readParts(bytes: Uint8Array, take: (number: number, part: Uint8Array) => void): void {
  try {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wire] = reader.tag();
      if (wire === WireType.LengthDelimited) take(number, reader.bytes());
      else reader.skip(wire, number);
    }
  } catch (error) {
    if (error instanceof ProtobufError) throw error;
    throw new ProtobufError('unexpected EOF');
  }
}

/** The object in an envelope; `undefined` where its kind has no protobuf form. */
export function decodeEnveloped({ apiVersion, kind, raw }: Enveloped): Obj | undefined {
  const id = messageOf(apiVersion, kind);
  return id ? { apiVersion, kind, ...decodeStruct(id, raw) } : undefined;
}
