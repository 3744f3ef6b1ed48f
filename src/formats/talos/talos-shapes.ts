/** The types of machine-config documents: which keys there are, what they take, how a patch merges them. */

import { DOCUMENT_STRUCTS, STRUCT_FIELDS } from '../gen/talos-shapes.js';

type ScalarKind = 'string' | 'bool' | 'int' | 'uint' | 'float' | 'duration' | 'bytes';

export type Shape =
  | { readonly kind: 'scalar'; readonly scalar: ScalarKind }
  | { readonly kind: 'any' }
  /** A type that reads itself from one scalar: an address, a size, an enumeration, a CEL expression. */
  | { readonly kind: 'opaque'; readonly name: string }
  | { readonly kind: 'list'; readonly item: Shape; readonly mergesItself: boolean }
  | { readonly kind: 'map'; readonly item: Shape; readonly mergesItself: boolean }
  | { readonly kind: 'struct'; readonly name: string }
  | { readonly kind: 'pointer'; readonly to: Shape };

export interface Field {
  readonly shape: Shape;
  /** A patch replaces the value as a whole. */
  readonly replace: boolean;
  /** Talos writes the key even where the value is empty. */
  readonly alwaysWritten: boolean;
}

interface Struct {
  readonly fields: ReadonlyMap<string, Field>;
  /** Takes any key, with free-form values. */
  readonly open: boolean;
}

const SCALARS: Readonly<Record<string, ScalarKind>> = {
  s: 'string',
  b: 'bool',
  i: 'int',
  u: 'uint',
  f: 'float',
  d: 'duration',
  bytes: 'bytes',
};

/** Types with a reader of their own that takes a mapping: known here, since reflection cannot see into readers. */
const READ_AS_STRUCT: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'x509.PEMEncodedCertificateAndKey': { crt: '!x:base64:s', key: '!x:base64:s' },
  'x509.PEMEncodedCertificate': { crt: '!x:base64:s' },
  'x509.PEMEncodedKey': { key: '!x:base64:s' },
};

const structs = new Map<string, Struct>();

export function structOf(name: string): Struct {
  let struct = structs.get(name);
  if (!struct) {
    const fields = Object.entries(READ_AS_STRUCT[name] ?? STRUCT_FIELDS[name] ?? {});
    struct = {
      fields: new Map(fields.filter(([key]) => key !== '*').map(([key, text]) => [key, parseField(text)])),
      open: fields.some(([key]) => key === '*'),
    };
    structs.set(name, struct);
  }
  return struct;
}

/** `undefined`: Talos knows no document of that kind. */
export function documentShape(kind: string): Shape | undefined {
  const name = Object.hasOwn(DOCUMENT_STRUCTS, kind) ? DOCUMENT_STRUCTS[kind] : undefined;
  return name === undefined ? undefined : { kind: 'struct', name };
}

function parseField(text: string): Field {
  const flags = /^[!=]*/.exec(text)?.[0] ?? '';
  return {
    shape: parseShape(text.slice(flags.length)),
    replace: flags.includes('='),
    alwaysWritten: flags.includes('!'),
  };
}

/** The notation is written by test/conformance/go/shapes. */
function parseShape(text: string): Shape {
  const mergesItself = text.startsWith('~');
  const rest = mergesItself ? text.slice(1) : text;
  if (rest.startsWith('*')) return { kind: 'pointer', to: parseShape(rest.slice(1)) };
  if (rest.startsWith('[')) return { kind: 'list', item: parseShape(rest.slice(1)), mergesItself };
  if (rest.startsWith('{')) return { kind: 'map', item: parseShape(rest.slice(1)), mergesItself };
  if (rest === 'any') return { kind: 'any' };
  const scalar = SCALARS[rest];
  if (scalar) return { kind: 'scalar', scalar };
  if (rest.startsWith('x:')) {
    const [, name = '', base = ''] = /^x:([^:]+):(.*)$/.exec(rest) ?? [];
    if (name in READ_AS_STRUCT) return { kind: 'struct', name };
    return base.startsWith('[') ? parseShape(base) : { kind: 'opaque', name };
  }
  return { kind: 'struct', name: rest };
}

/** As Go names the type in messages. */
export function goTypeName(shape: Shape): string {
  switch (shape.kind) {
    case 'scalar':
      return {
        string: 'string',
        bool: 'bool',
        int: 'int',
        uint: 'uint32',
        float: 'float64',
        duration: 'time.Duration',
        bytes: '[]uint8',
      }[shape.scalar];
    case 'any':
      return 'interface {}';
    case 'opaque':
    case 'struct':
      return shape.name;
    case 'list':
      return `[]${goTypeName(shape.item)}`;
    case 'map':
      return `map[string]${goTypeName(shape.item)}`;
    case 'pointer':
      return goTypeName(shape.to);
  }
}
