import { BinaryReader, type WireType } from '@bufbuild/protobuf/wire';
import { setOwn } from '../../../formats/text/mapping.js';
import { isObj, listOf, type Obj } from '../json.js';
import { type FieldFact, type Scalar, structFacts, type TypeFact } from '../schema/field-facts.js';
import { goDurationText, timeOf } from './go-times.js';

/** Bytes that are no message of the type. */
export class ProtobufError extends Error {
  override readonly name = 'ProtobufError';
}

type OnField = (number: number, reader: BinaryReader, wire: WireType) => boolean;

function readMessage(bytes: Uint8Array, onField: OnField): void {
  try {
    const reader = new BinaryReader(bytes);
    while (reader.pos < reader.len) {
      const [number, wire] = reader.tag();
      if (!onField(number, reader, wire)) reader.skip(wire, number);
    }
    if (reader.pos > reader.len) throw new ProtobufError('unexpected EOF');
  } catch (error) {
    if (error instanceof ProtobufError) throw error;
    throw new ProtobufError('unexpected EOF');
  }
}

/** A message as the JSON that means the same. */
export function decodeStruct(id: string, bytes: Uint8Array): Obj {
  const out: Obj = {};
  const fields = new Map(structFacts(id).fields.map((field) => [field.number, field]));
  readMessage(bytes, (number, reader) => {
    const field = fields.get(number);
    if (field) readField(out, field, reader);
    return field !== undefined;
  });
  return out;
}

function readField(out: Obj, field: FieldFact, reader: BinaryReader): void {
  const { name, type } = field;
  if (name === '') {
    // Its fields are the object's own.
    if (type.is === 'struct') Object.assign(out, decodeStruct(type.id, reader.bytes()));
    return;
  }
  switch (type.is) {
    case 'list': {
      if (type.wrapped) out[name] = wrappedList(type.of, reader.bytes());
      else out[name] = [...listOf(out[name]), readValue(type.of, reader)];
      return;
    }
    case 'map': {
      const [key, value] = entryOf(type.of, reader.bytes());
      const map = isObj(out[name]) ? out[name] : {};
      setOwn(map, key, value);
      out[name] = map;
      return;
    }
    default: {
      const value = readValue(type, reader);
      // Go sends its zero values along; in JSON they would not be there.
      const zero = value === '' || value === false || value === 0;
      if (field.pointer || !field.omitEmpty || !zero) out[name] = value;
    }
  }
}

function wrappedList(of: TypeFact, bytes: Uint8Array): unknown[] {
  const items: unknown[] = [];
  readMessage(bytes, (number, reader) => {
    if (number === 1) items.push(readValue(of, reader));
    return number === 1;
  });
  return items;
}

function entryOf(of: TypeFact, bytes: Uint8Array): [string, unknown] {
  let key = '';
  let value: unknown = of.is === 'struct' ? {} : of.is === 'list' ? [] : '';
  readMessage(bytes, (number, reader) => {
    if (number === 1) key = reader.string();
    if (number === 2) value = of.is === 'list' ? wrappedList(of.of, reader.bytes()) : readValue(of, reader);
    return number === 1 || number === 2;
  });
  return [key, value];
}

function readValue(type: TypeFact, reader: BinaryReader): unknown {
  if (type.is === 'struct') {
    const bytes = reader.bytes();
    const choice = CHOICES[type.id];
    return choice ? choice(bytes) : decodeStruct(type.id, bytes);
  }
  return type.is === 'scalar' ? readScalar(type.scalar, reader) : undefined;
}

function readScalar(scalar: Scalar, reader: BinaryReader): unknown {
  switch (scalar) {
    case 's':
      return reader.string();
    case 'b':
      return reader.bool();
    case 'n':
      return reader.int32();
    case 'l':
      return Number(reader.int64());
    case 'f':
      return reader.double();
    case 'y':
      return Buffer.from(reader.bytes()).toString('base64');
    default:
      return ownMessage(scalar, reader.bytes());
  }
}

/** The parts of a small message by number. */
function partsOf(bytes: Uint8Array, texts: readonly number[]): Map<number, string | bigint> {
  const parts = new Map<number, string | bigint>();
  readMessage(bytes, (number, reader, wire) => {
    if (texts.includes(number)) parts.set(number, reader.string());
    else if (wire === 0) parts.set(number, BigInt(reader.int64()));
    else return false;
    return true;
  });
  return parts;
}

function ownMessage(scalar: Scalar, bytes: Uint8Array): unknown {
  switch (scalar) {
    case 't':
    case 'u': {
      // No parts at all: the time was never set.
      if (bytes.length === 0) return null;
      const parts = partsOf(bytes, []);
      const seconds = BigInt(parts.get(1) ?? 0n);
      return timeOf({ seconds, nanos: Number(parts.get(2) ?? 0n) }, scalar === 'u');
    }
    case 'd':
      return goDurationText(BigInt(partsOf(bytes, []).get(1) ?? 0n));
    case 'q':
      return partsOf(bytes, [1]).get(1) ?? '0';
    case 'i': {
      const parts = partsOf(bytes, [3]);
      return parts.get(1) === 1n ? (parts.get(3) ?? '') : Number(parts.get(2) ?? 0n);
    }
    default:
      return jsonOf(bytes);
  }
}

/** Free-form JSON travels as its text. */
function jsonOf(bytes: Uint8Array): unknown {
  const text = partsOf(bytes, [1]).get(1);
  if (typeof text !== 'string' || text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    throw new ProtobufError('invalid character in a raw object');
  }
}

const SCHEMA = 'apiextensions.JSONSchemaProps';

/** `apiextensions/v1/marshal.go`: one schema, or a list, or a flag. */
const CHOICES: Readonly<Record<string, (bytes: Uint8Array) => unknown>> = {
  'apiextensions.JSONSchemaPropsOrArray': (bytes) =>
    schemaOrList(bytes, (r) => decodeStruct(SCHEMA, r.bytes())),
  'apiextensions.JSONSchemaPropsOrStringArray': (bytes) => schemaOrList(bytes, (reader) => reader.string()),
  'apiextensions.JSONSchemaPropsOrBool': (bytes) => {
    let value: unknown = false;
    readMessage(bytes, (number, reader) => {
      if (number === 1) value = isObj(value) ? value : reader.bool();
      else if (number === 2) value = decodeStruct(SCHEMA, reader.bytes());
      return number === 1 || number === 2;
    });
    return value;
  },
};

function schemaOrList(bytes: Uint8Array, item: (reader: BinaryReader) => unknown): unknown {
  let schema: unknown;
  const list: unknown[] = [];
  readMessage(bytes, (number, reader) => {
    if (number === 1) schema = decodeStruct(SCHEMA, reader.bytes());
    else if (number === 2) list.push(item(reader));
    return number === 1 || number === 2;
  });
  return schema ?? list;
}
