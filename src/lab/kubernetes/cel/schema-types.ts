import type { CelInput } from '@bufbuild/cel';
import { create } from '@bufbuild/protobuf';
import { DurationSchema, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type CelType, celScalar, DYN, listOfType, mapOfType, objectType } from '../../cel/types.js';
import { isObj, type Obj, objOf, textOf } from '../json.js';

const STRING = { type: 'string' };
const META = { type: 'object', properties: { name: STRING, generateName: STRING } };

/** What rules at the root of an object see beside its schema (`WithTypeAndObjectMeta`). */
function withTypeAndMeta(openApi: Obj): Obj {
  const properties = objOf(openApi.properties);
  const own = objOf(objOf(properties.metadata).properties);
  const metadata = isObj(own.name) && isObj(own.generateName) ? properties.metadata : META;
  return {
    ...openApi,
    type: 'object',
    properties: { ...properties, kind: STRING, apiVersion: STRING, metadata },
  };
}

const FORMATS: Record<string, string> = {
  byte: 'bytes',
  duration: 'duration',
  date: 'timestamp',
  'date-time': 'timestamp',
};
const SCALARS: Record<string, string> = { boolean: 'bool', number: 'double', integer: 'int' };

const isRoot = (openApi: Obj) => openApi['x-kubernetes-embedded-resource'] === true;

/** A schema's type in CEL; `undefined`: rules do not see it. */
export function schemaType(given: Obj, root = isRoot(given), name = 'object'): CelType | undefined {
  if (given['x-kubernetes-int-or-string'] === true) return DYN;
  const openApi = root ? withTypeAndMeta(given) : given;
  switch (openApi.type) {
    case 'array': {
      const of = isObj(openApi.items)
        ? schemaType(openApi.items, isRoot(openApi.items), `${name}.@idx`)
        : undefined;
      return of && listOfType(of);
    }
    case 'object': {
      const { additionalProperties: more } = openApi;
      if (isObj(more)) {
        const of = schemaType(more, isRoot(more), `${name}.@elem`);
        return of && mapOfType(celScalar('string'), of);
      }
      const fields = new Map<string, CelType>();
      for (const [field, of] of Object.entries(objOf(openApi.properties))) {
        const type = schemaType(objOf(of), isRoot(objOf(of)), `${name}.${field}`);
        const escaped = escapeName(field);
        if (type && escaped !== undefined) fields.set(escaped, type);
      }
      return objectType(name, fields);
    }
    case 'string':
      return celScalar(FORMATS[textOf(openApi.format)] ?? 'string');
    default: {
      const scalar = SCALARS[textOf(openApi.type)];
      return scalar === undefined ? undefined : celScalar(scalar);
    }
  }
}

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const ESCAPES: Record<string, string> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/** A property's name as an identifier (`apiserver/pkg/cel/escaping.go`). */
function escapeName(name: string): string | undefined {
  if (RESERVED.has(name)) return `__${name}__`;
  if (!/^[a-zA-Z_./-][\w./-]*$/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (found) => ESCAPES[found] ?? found);
}

/** A value with the types that its schema gives it. */
export function schemaValue(value: unknown, given: Obj, root = isRoot(given)): CelInput {
  if (value === null || value === undefined) return null;
  if (given['x-kubernetes-int-or-string'] === true) return freeValue(value);
  const openApi = root ? withTypeAndMeta(given) : given;
  if (Array.isArray(value)) return value.map((item) => schemaValue(item, objOf(openApi.items)));
  if (isObj(value)) {
    const map = new Map<string, CelInput>();
    for (const [name, item] of Object.entries(value)) {
      if (item === undefined) continue;
      if (isObj(openApi.additionalProperties)) {
        map.set(name, schemaValue(item, openApi.additionalProperties));
        continue;
      }
      const of = objOf(openApi.properties)[name];
      const escaped = escapeName(name);
      if (isObj(of) && escaped !== undefined && schemaType(of)) map.set(escaped, schemaValue(item, of));
    }
    return map;
  }
  if (typeof value === 'number') return openApi.type === 'integer' ? BigInt(Math.trunc(value)) : value;
  if (typeof value === 'string') return textValue(value, textOf(openApi.format));
  return value === true;
}

function textValue(value: string, format: string): CelInput {
  if (format === 'byte') return new Uint8Array(Buffer.from(value, 'base64'));
  if (format === 'date' || format === 'date-time') return timestampFromDate(new Date(value));
  if (format === 'duration') return durationOf(value);
  return value;
}

const UNITS: Record<string, number> = { h: 3600, m: 60, s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9 };

function durationOf(text: string): CelInput {
  let seconds = 0;
  for (const [, number = '0', unit = 's'] of text.matchAll(/(\d+(?:\.\d+)?)(h|ms|us|µs|ns|m|s)/g)) {
    seconds += Number(number) * (UNITS[unit] ?? 1);
  }
  if (text.startsWith('-')) seconds = -seconds;
  const whole = Math.trunc(seconds);
  return create(DurationSchema, { seconds: BigInt(whole), nanos: Math.round((seconds - whole) * 1e9) });
}

/** A value without a schema: whole numbers are integers. */
export function freeValue(value: unknown): CelInput {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.map(freeValue);
  if (isObj(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return new Map(entries.map(([name, item]) => [name, freeValue(item)]));
  }
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  return typeof value === 'string' || typeof value === 'boolean' ? value : String(value);
}
