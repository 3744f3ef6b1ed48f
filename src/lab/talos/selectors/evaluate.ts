import {
  type CelInput,
  CelScalar,
  celEnv,
  celFunc,
  celUint,
  isCelError,
  mapType,
  parse,
  plan,
} from '@bufbuild/cel';
import { type Environment, type FieldType, UNITS } from './environment.js';

/** A value of an environment's object: unsigned numbers may come as numbers. */
type SelectorObject = Readonly<
  Record<string, string | number | bigint | boolean | Uint8Array | readonly string[]>
>;

type SelectorInput = Readonly<Record<string, SelectorObject | boolean>>;

const ANYTHING = mapType(CelScalar.STRING, CelScalar.DYN);

const FUNCTIONS = [
  celFunc('glob', [CelScalar.STRING, CelScalar.STRING], CelScalar.BOOL, (pattern, text) =>
    glob(pattern, text),
  ),
  celFunc('mac', [CelScalar.BYTES], CelScalar.STRING, (bytes) =>
    [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':'),
  ),
];

type Selector = (input: SelectorInput) => boolean;

/** Machines ask the same few selectors again and again. */
const compiled = new Map<string, Selector>();
const COMPILED_LIMIT = 1_000;

/** A selector that passed `checkSelector`, ready to be asked of many objects. */
export function compileSelector(source: string, environment: Environment): Selector {
  const key = `${environment.name} ${source}`;
  let selector = compiled.get(key);
  if (!selector) {
    if (compiled.size >= COMPILED_LIMIT) compiled.clear();
    selector = compile(source, environment);
    compiled.set(key, selector);
  }
  return selector;
}

function compile(source: string, environment: Environment): Selector {
  const variables: Record<string, typeof CelScalar.DYN | typeof ANYTHING> = {};
  for (const name of Object.keys(environment.variables)) variables[name] = CelScalar.DYN;
  const program = plan(celEnv({ variables, funcs: FUNCTIONS }), parse(source));
  const units = Object.fromEntries(Object.entries(UNITS).map(([name, value]) => [name, celUint(value)]));
  return (input) => {
    const bindings: Record<string, CelInput> = { ...units };
    for (const [name, value] of Object.entries(input)) {
      bindings[name] = typeof value === 'boolean' ? value : typed(value, environment.objects[name] ?? {});
    }
    const result = program(bindings);
    if (isCelError(result)) throw new Error(result.message);
    return result === true;
  };
}

function typed(object: SelectorObject, fields: Readonly<Record<string, FieldType>>): Map<string, CelInput> {
  const map = new Map<string, CelInput>();
  for (const [name, type] of Object.entries(fields)) map.set(name, typedValue(object[name], type));
  return map;
}

/** A field that was not given has its type's zero value, as in protobuf. */
function typedValue(value: SelectorObject[string] | undefined, type: FieldType): CelInput {
  if (type === 'uint')
    return celUint(BigInt(typeof value === 'number' || typeof value === 'bigint' ? value : 0));
  if (type === 'int') return BigInt(typeof value === 'number' || typeof value === 'bigint' ? value : 0);
  if (type === 'bool') return value === true;
  if (type === 'bytes') return value instanceof Uint8Array ? value : new Uint8Array();
  if (typeof type === 'object') return Array.isArray(value) ? value : [];
  return typeof value === 'string' ? value : '';
}

/** `*` matches any run of characters, everything else itself (github.com/ryanuber/go-glob). */
export function glob(pattern: string, text: string): boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*')}$`).test(text);
}
