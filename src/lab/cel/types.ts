/** CEL's types as its checker sees them: `list(int)`, `map(string, dyn)`, an object with fields, a type parameter. */
export interface CelType {
  readonly name: string;
  readonly of: readonly CelType[];
  /** Of an object: every field that can be selected. */
  readonly fields?: ReadonlyMap<string, CelType>;
}

const simple = new Map<string, CelType>();

export function celScalar(name: string): CelType {
  let type = simple.get(name);
  if (!type) {
    type = { name, of: [] };
    simple.set(name, type);
  }
  return type;
}

export const DYN = celScalar('dyn');
export const BOOL = celScalar('bool');
/** Of an expression with a fault of its own: fits everywhere, so that one fault is reported once. */
export const ERROR = celScalar('!error!');

export const listOfType = (of: CelType): CelType => ({ name: 'list', of: [of] });
export const mapOfType = (key: CelType, value: CelType): CelType => ({ name: 'map', of: [key, value] });
export const optionalOf = (of: CelType): CelType => ({ name: 'optional_type', of: [of] });
export const objectType = (name: string, fields: ReadonlyMap<string, CelType>): CelType => ({
  name,
  of: [],
  fields,
});

/** `list(map(string, A))`. A capital letter alone is a parameter. */
export function readType(text: string): CelType {
  const open = text.indexOf('(');
  if (open < 0) return celScalar(text);
  return { name: text.slice(0, open), of: splitTypes(text.slice(open + 1, -1)).map(readType) };
}

/** Parts between commas that stand in no parentheses. */
export function splitTypes(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const sign = text[at] ?? ',';
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    else if (sign === ',' && depth === 0) {
      const part = text.slice(from, at).trim();
      if (part !== '') parts.push(part);
      from = at + 1;
    }
  }
  return parts;
}

const isParameter = (type: CelType) => /^_var\d+$/.test(type.name);
const isOpen = (type: CelType) => type === DYN || type === ERROR;

export function typeText(type: CelType): string {
  if (type.name === 'null_type') return 'null';
  return type.of.length === 0 ? type.name : `${type.name}(${type.of.map(typeText).join(', ')})`;
}

export type Bindings = ReadonlyMap<string, CelType>;

/** `type` with what is known of its parameters; `final`: what is unknown is dyn. */
export function substitute(type: CelType, bindings: Bindings, final = false): CelType {
  if (isParameter(type)) {
    const bound = bindings.get(type.name);
    return bound ? substitute(bound, bindings, final) : final ? DYN : type;
  }
  if (type.of.length === 0) return type;
  return { name: type.name, of: type.of.map((part) => substitute(part, bindings, final)) };
}

/** The bindings under which `from` can stand where `to` is wanted; `undefined`: under none. */
export function assign(from: CelType, to: CelType, bindings: Bindings): Bindings | undefined {
  const a = substitute(from, bindings);
  const b = substitute(to, bindings);
  if (isParameter(b)) return a.name === b.name ? bindings : new Map(bindings).set(b.name, a);
  if (isParameter(a)) return new Map(bindings).set(a.name, b);
  if (isOpen(a) || isOpen(b)) return bindings;
  // null stands for a missing message or an opaque value, not for a number or a text.
  if (a.name === 'null_type' && NULLABLE.has(b.name)) return bindings;
  if (b.name === 'null_type' && NULLABLE.has(a.name)) return bindings;
  if (a.name !== b.name || a.of.length !== b.of.length) return undefined;
  let known: Bindings | undefined = bindings;
  for (const [index, part] of a.of.entries()) {
    known = known && assign(part, b.of[index] ?? DYN, known);
  }
  return known;
}

const NULLABLE = new Set(['timestamp', 'duration', 'null_type']);

export function sameType(a: CelType, b: CelType): boolean {
  return typeText(a) === typeText(b);
}
