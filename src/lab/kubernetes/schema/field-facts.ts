import { FIELDS } from '../gen/fields.js';

/** One field of a built-in type, as its Go source has it. */
export interface FieldFact {
  /** `''`: the fields of the type are the object's own in JSON. */
  readonly name: string;
  readonly number: number;
  readonly type: TypeFact;
  readonly required: boolean;
  readonly pointer: boolean;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly atomic: boolean;
  readonly set: boolean;
  readonly mergeSet: boolean;
  readonly keys: readonly string[];
  readonly mergeKey: string | undefined;
}

export type Scalar = 's' | 'b' | 'n' | 'l' | 'f' | 'y' | 'i' | 'q' | 't' | 'u' | 'd' | 'r' | 'F' | 'J';

export type TypeFact =
  | { readonly is: 'scalar'; readonly scalar: Scalar; readonly go: string | undefined }
  | { readonly is: 'list'; readonly of: TypeFact; readonly wrapped: boolean }
  | { readonly is: 'map'; readonly of: TypeFact }
  | { readonly is: 'struct'; readonly id: string };

interface StructFacts {
  readonly atomic: boolean;
  readonly fields: readonly FieldFact[];
}

const known = new Map<string, StructFacts>();

export function isBuiltInType(id: string): boolean {
  return FIELDS[id] !== undefined;
}

/** Whether Go's name is that of a text with a type of its own (`v1.Protocol`). */
export function isNamedText(go: string): boolean {
  return Object.values(FIELDS).some((fields) => new RegExp(`s'${go.replaceAll('.', '\\.')}:`).test(fields));
}

/** What is known of a type such as `core.Pod`. */
export function structFacts(id: string): StructFacts {
  const found = known.get(id);
  if (found) return found;
  const text = FIELDS[id];
  if (text === undefined) throw new Error(`no field facts for ${id}`);
  const words = text.split(' ').filter(Boolean);
  const facts = {
    atomic: words[0] === '@',
    fields: words.filter((word) => word !== '@').map(fieldFact),
  };
  known.set(id, facts);
  return facts;
}

/** Whether a strategic merge of the field drops what it does not name. */
export function retainsKeys(id: string, field: string): boolean {
  const word = FIELDS[id]?.split(' ').find((one) => one.startsWith(`${field}:`)) ?? '';
  return (word.split(':')[3] ?? '').replace(/[KM]=[^;]*;/g, '').includes('R');
}

function fieldFact(word: string): FieldFact {
  const [name = '', number = '0', type = '', flags = ''] = word.split(':');
  const option = (letter: string) => new RegExp(`${letter}=([^;]*);`).exec(flags)?.[1];
  const marks = flags.replace(/[KM]=[^;]*;/g, '');
  return {
    name: name === '^' ? '' : name,
    number: Number(number),
    type: typeFact(type),
    required: marks.includes('!'),
    pointer: marks.includes('*'),
    omitEmpty: marks.includes('o'),
    omitZero: marks.includes('z'),
    atomic: marks.includes('a'),
    set: marks.includes('S'),
    mergeSet: marks.includes('m'),
    keys: option('K')?.split(',') ?? [],
    mergeKey: option('M'),
  };
}

const SCALARS: ReadonlySet<string> = new Set('s b n l f y i q t u d r F J'.split(' '));

function isScalar(letter: string): letter is Scalar {
  return SCALARS.has(letter);
}

function typeFact(text: string): TypeFact {
  const first = text[0] ?? '';
  if (first === '[' || first === '<') {
    return { is: 'list', of: typeFact(text.slice(1)), wrapped: first === '<' };
  }
  if (first === '{') return { is: 'map', of: typeFact(text.slice(1)) };
  const [letter = '', go] = text.split("'");
  return isScalar(letter) ? { is: 'scalar', scalar: letter, go } : { is: 'struct', id: text };
}

/** `v1.PodSpec`: a type as Go's messages name it. */
export function goName(type: TypeFact): string {
  switch (type.is) {
    case 'scalar':
      return type.go ?? GO_SCALARS[type.scalar];
    case 'list':
      return `[]${goName(type.of)}`;
    case 'map': {
      const of = goName(type.of);
      return of === 'resource.Quantity' ? 'v1.ResourceList' : `map[string]${of}`;
    }
    case 'struct': {
      const [module = '', name = ''] = type.id.split('.');
      return `${module === 'autoscalingv2' ? 'v2' : 'v1'}.${name}`;
    }
  }
}

const GO_SCALARS: Readonly<Record<Scalar, string>> = {
  s: 'string',
  b: 'bool',
  n: 'int32',
  l: 'int64',
  f: 'float64',
  y: '[]uint8',
  i: 'int32',
  q: 'resource.Quantity',
  t: 'string',
  u: 'string',
  d: 'string',
  r: 'runtime.RawExtension',
  F: 'v1.FieldsV1',
  J: 'v1.JSON',
};
