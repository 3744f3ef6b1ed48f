import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isObj, listOf, type Obj, objOf, textOf } from '../json.js';
import { type FieldFact, type Scalar, structFacts, type TypeFact } from '../schema/field-facts.js';
import { goDurationNanos, timeParts } from './go-times.js';

/** A value of a built-in type as the bytes that Kubernetes' Go code writes: fields that are no pointers always. */
export function encodeStruct(id: string, value: Obj): Uint8Array {
  const writer = new BinaryWriter();
  const choice = CHOICES[id];
  if (choice) {
    choice(writer, value);
    return writer.finish();
  }
  const fields = [...structFacts(id).fields].sort((a, b) => a.number - b.number);
  for (const field of fields) {
    // A list in JSON only has no number (`Verbs`).
    if (field.number === 0) continue;
    writeField(writer, field, field.name === '' ? value : value[field.name]);
  }
  return writer.finish();
}

function writeField(writer: BinaryWriter, field: FieldFact, value: unknown): void {
  const { number, type } = field;
  if (value === undefined || value === null) {
    if (!field.pointer && type.is !== 'list' && type.is !== 'map')
      writeValue(writer, number, type, undefined);
    return;
  }
  switch (type.is) {
    case 'list':
      if (type.wrapped) writeBytes(writer, number, wrappedList(type.of, value));
      else for (const item of listOf(value)) writeValue(writer, number, type.of, item);
      return;
    case 'map': {
      const entries = Object.entries(objOf(value)).sort(([a], [b]) => (a < b ? -1 : 1));
      for (const [key, item] of entries) {
        const entry = new BinaryWriter();
        entry.tag(1, WireType.LengthDelimited).string(key);
        if (type.of.is === 'list') writeBytes(entry, 2, wrappedList(type.of.of, item));
        else writeValue(entry, 2, type.of, item);
        writeBytes(writer, number, entry.finish());
      }
      return;
    }
    default:
      writeValue(writer, number, type, value);
  }
}

function wrappedList(of: TypeFact, value: unknown): Uint8Array {
  const writer = new BinaryWriter();
  for (const item of listOf(value)) writeValue(writer, 1, of, item);
  return writer.finish();
}

function writeBytes(writer: BinaryWriter, number: number, bytes: Uint8Array): void {
  writer.tag(number, WireType.LengthDelimited).bytes(bytes);
}

function writeValue(writer: BinaryWriter, number: number, type: TypeFact, value: unknown): void {
  if (type.is === 'struct') writeBytes(writer, number, encodeStruct(type.id, choiceOrObject(type.id, value)));
  else if (type.is === 'scalar') writeScalar(writer, number, type.scalar, value);
}

/** Types that are one of several things in JSON are handed over whole. */
function choiceOrObject(id: string, value: unknown): Obj {
  return CHOICES[id] ? { value } : objOf(value);
}

function writeScalar(writer: BinaryWriter, number: number, scalar: Scalar, value: unknown): void {
  switch (scalar) {
    case 's':
      writer.tag(number, WireType.LengthDelimited).string(textOf(value));
      return;
    case 'b':
      writer.tag(number, WireType.Varint).bool(value === true);
      return;
    case 'n':
    case 'l':
      writer.tag(number, WireType.Varint).int64(BigInt(Math.trunc(typeof value === 'number' ? value : 0)));
      return;
    case 'f':
      writer.tag(number, WireType.Bit64).double(typeof value === 'number' ? value : 0);
      return;
    case 'y':
      if (value !== undefined) writeBytes(writer, number, Buffer.from(textOf(value), 'base64'));
      return;
    default:
      writeBytes(writer, number, messageOf(scalar, value));
  }
}

/** Scalars of JSON that are messages in protobuf. */
function messageOf(scalar: Scalar, value: unknown): Uint8Array {
  const writer = new BinaryWriter();
  switch (scalar) {
    case 't':
    case 'u': {
      if (value === undefined) break;
      const { seconds, nanos } = timeParts(textOf(value));
      writer.tag(1, WireType.Varint).int64(seconds);
      // Times have whole seconds, those of leases and events microseconds.
      writer.tag(2, WireType.Varint).int32(scalar === 'u' ? nanos : 0);
      break;
    }
    case 'd':
      writer.tag(1, WireType.Varint).int64(goDurationNanos(textOf(value)));
      break;
    case 'q':
      writer.tag(1, WireType.LengthDelimited).string(value === undefined ? '0' : String(value));
      break;
    case 'i':
      writer.tag(1, WireType.Varint).int64(typeof value === 'string' ? 1n : 0n);
      writer.tag(2, WireType.Varint).int32(typeof value === 'number' ? value : 0);
      writer.tag(3, WireType.LengthDelimited).string(textOf(value));
      break;
    default:
      if (value !== undefined) writeBytes(writer, 1, Buffer.from(JSON.stringify(value)));
  }
  return writer.finish();
}

const SCHEMA: TypeFact = { is: 'struct', id: 'apiextensions.JSONSchemaProps' };

type Choice = (writer: BinaryWriter, held: Obj) => void;

/** `apiextensions/v1/marshal.go`: one schema, or a list, or a flag. */
const CHOICES: Readonly<Record<string, Choice>> = {
  'apiextensions.JSONSchemaPropsOrArray': (writer, { value }) => {
    if (isObj(value)) writeValue(writer, 1, SCHEMA, value);
    else for (const item of listOf(value)) writeValue(writer, 2, SCHEMA, item);
  },
  'apiextensions.JSONSchemaPropsOrBool': (writer, { value }) => {
    writer.tag(1, WireType.Varint).bool(value === true || isObj(value));
    if (isObj(value)) writeValue(writer, 2, SCHEMA, value);
  },
  'apiextensions.JSONSchemaPropsOrStringArray': (writer, { value }) => {
    if (isObj(value)) writeValue(writer, 1, SCHEMA, value);
    else for (const item of listOf(value)) writer.tag(2, WireType.LengthDelimited).string(textOf(item));
  },
};
