/** Expressions to values: `local.` references followed, templates put together. Nothing else is computed. */
import { suggest } from '../suggest.js';
import type { Attribute, Expression, HclFile, HclProblem } from './hcl-syntax.js';

export interface Located {
  readonly file: string;
  readonly start: number;
  readonly value: string | number | boolean | null | readonly Located[] | LocatedVariables;
}

export interface LocatedEntry {
  readonly keyFile: string;
  readonly keyStart: number;
  readonly value: Located;
}

export type LocatedVariables = ReadonlyMap<string, LocatedEntry>;

interface PlacedProblem extends HclProblem {
  readonly path: string;
}

interface Local {
  readonly path: string;
  readonly attribute: Attribute;
}

export function evaluate(files: readonly { readonly path: string; readonly parsed: HclFile }[]): {
  readonly variables: LocatedVariables;
  readonly problems: readonly PlacedProblem[];
} {
  const evaluation = new Evaluation(files);
  return { variables: evaluation.variables(), problems: evaluation.problems };
}

class Evaluation {
  readonly problems: PlacedProblem[] = [];
  readonly #locals = new Map<string, Local>();
  /** Names being looked at, to see circles. */
  readonly #open = new Set<string>();

  constructor(private readonly files: readonly { readonly path: string; readonly parsed: HclFile }[]) {
    for (const { path, parsed } of files) {
      for (const attribute of parsed.locals) {
        if (this.#locals.has(attribute.name)) this.#twice(path, attribute);
        this.#locals.set(attribute.name, { path, attribute });
      }
    }
  }

  variables(): LocatedVariables {
    const all = new Map<string, LocatedEntry>();
    for (const { path, parsed } of this.files) {
      for (const [name, entry] of this.#entries(path, parsed.attributes)) all.set(name, entry);
    }
    // A local that nothing uses is evaluated too: its mistakes are mistakes.
    for (const { path, attribute } of this.#locals.values()) this.#value(path, attribute.value);
    const seen = new Set<string>();
    const distinct = this.problems.filter(({ path, offset, message }) => {
      const identity = `${path}:${offset} ${message}`;
      return !seen.has(identity) && seen.add(identity);
    });
    this.problems.splice(0, this.problems.length, ...distinct);
    return all;
  }

  #entries(path: string, attributes: readonly Attribute[]): Map<string, LocatedEntry> {
    const entries = new Map<string, LocatedEntry>();
    for (const attribute of attributes) {
      if (entries.has(attribute.name)) this.#twice(path, attribute);
      entries.set(attribute.name, {
        keyFile: path,
        keyStart: attribute.nameSpan.start,
        value: this.#value(path, attribute.value),
      });
    }
    return entries;
  }

  #value(path: string, expression: Expression): Located {
    const at = { file: path, start: expression.start };
    switch (expression.kind) {
      case 'literal':
        return { ...at, value: expression.value };
      case 'list':
        return { ...at, value: expression.items.map((item) => this.#value(path, item)) };
      case 'object':
        return { ...at, value: this.#entries(path, expression.entries) };
      case 'local':
        return { ...at, value: this.#local(path, expression.path, expression.start).value };
      case 'template':
        return { ...at, value: expression.parts.map((part) => this.#text(path, part)).join('') };
      case 'refused':
        return { ...at, value: null };
    }
  }

  #text(path: string, part: string | Expression): string {
    if (typeof part === 'string') return part;
    const { value } = this.#value(path, part);
    if (value !== null && typeof value !== 'object') return String(value);
    if (part.kind !== 'refused') {
      const found = value === null ? 'nothing' : 'a list or an object';
      this.#problem(
        path,
        part.start,
        'hcl.interpolation',
        `\`\${…}\` is ${found} here, and cannot be put into text`,
      );
    }
    return '';
  }

  #local(path: string, [name = '', ...keys]: readonly string[], offset: number): Located {
    const nothing: Located = { file: path, start: offset, value: null };
    const local = this.#locals.get(name);
    if (!local) {
      const meant = suggest(name, this.#locals.keys());
      const hint =
        meant === undefined
          ? 'add it to a `locals` block, or write the value itself'
          : `did you mean \`local.${meant}\`?`;
      this.#problem(path, offset, 'hcl.local', `there is no \`local.${name}\``, hint);
      return nothing;
    }
    if (this.#open.has(name)) {
      this.#problem(path, offset, 'hcl.local', `\`local.${name}\` refers to itself`, 'write its value');
      return nothing;
    }
    this.#open.add(name);
    let found = this.#value(local.path, local.attribute.value);
    this.#open.delete(name);
    for (const key of keys) {
      const inner: Located | undefined = Array.isArray(found.value)
        ? found.value[Number(key)]
        : found.value instanceof Map
          ? found.value.get(key)?.value
          : undefined;
      if (!inner) {
        this.#problem(path, offset, 'hcl.local', `\`local.${name}\` has no \`${key}\``);
        return nothing;
      }
      found = inner;
    }
    return found;
  }

  #twice(path: string, attribute: Attribute): void {
    this.#problem(
      path,
      attribute.nameSpan.start,
      'hcl.duplicate-key',
      `\`${attribute.name}\` stands here twice`,
      'keep one of them',
    );
  }

  #problem(path: string, offset: number, code: string, message: string, hint?: string): void {
    this.problems.push({ path, offset, code, message, ...(hint !== undefined && { hint }) });
  }
}
