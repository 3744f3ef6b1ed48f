/** Expressions to values: `local.` references followed, templates put together. Nothing else is computed. */
import { MAX_PROBLEMS } from '../report.js';
import { suggest } from '../suggest.js';
import { MAX_TEXT_LENGTH } from '../yaml/yaml-source.js';
import type { Attribute, Expression, HclFile, HclProblem } from './hcl-syntax.js';

/** A chain of locals that is longer than this would end the stack. */
const MAX_REFERENCES = 64;

export interface Located {
  readonly file: string;
  readonly start: number;
  readonly value: string | number | boolean | null | readonly Located[] | LocatedVariables;
  /** Where a value that is named with `local.` is written. */
  readonly origin?: { readonly file: string; readonly start: number };
}

interface LocatedEntry {
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
  /** Each is evaluated once, however often it is named. */
  readonly #known = new Map<string, Located>();
  /** Names being looked at, to see circles. */
  readonly #open = new Set<string>();
  #textLength = 0;

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
    for (const [name, { path, attribute }] of this.#locals) {
      if (!this.#known.has(name)) this.#known.set(name, this.#value(path, attribute.value));
    }
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
        return this.#reference(at, expression.path);
      case 'template':
        return { ...at, value: this.#template(path, expression) };
      case 'refused':
        return { ...at, value: null };
    }
  }

  #reference(at: { readonly file: string; readonly start: number }, path: readonly string[]): Located {
    const { value, file, start, origin } = this.#local(at.file, path, at.start);
    return { ...at, value, origin: origin ?? { file, start } };
  }

  /** Text made of text that is made of text grows without end. */
  #template(path: string, { parts, start }: Extract<Expression, { kind: 'template' }>): string {
    const text = parts.map((part) => this.#text(path, part)).join('');
    this.#textLength += text.length;
    if (this.#textLength <= MAX_TEXT_LENGTH) return text;
    this.#problem(path, start, 'hcl.too-large', `the text that \`\${…}\` puts together has more than 2 MB`);
    return '';
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
    if (this.#isFull) return nothing;
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
    if (this.#open.size >= MAX_REFERENCES) {
      this.#problem(path, offset, 'hcl.too-deep', `more than ${MAX_REFERENCES} locals refer to each other`);
      return nothing;
    }
    let found = this.#known.get(name);
    if (!found) {
      this.#open.add(name);
      found = this.#value(local.path, local.attribute.value);
      this.#open.delete(name);
      this.#known.set(name, found);
    }
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

  /** More are not shown, and finding what each one meant takes long. */
  get #isFull(): boolean {
    return this.problems.length >= MAX_PROBLEMS;
  }

  #problem(path: string, offset: number, code: string, message: string, hint?: string): void {
    if (this.#isFull) return;
    this.problems.push({ path, offset, code, message, ...(hint !== undefined && { hint }) });
  }
}
