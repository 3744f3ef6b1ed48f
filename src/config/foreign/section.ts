/** Typed access to the keys of one mapping of a foreign file: every misfit is reported with the names that it uses. */

import { isMapping } from '../../formats/text/mapping.js';
import type { Report } from '../report.js';
import { show } from '../schema/values.js';
import { suggest } from '../suggest.js';
import { formatPath, type Path } from '../yaml/position.js';

/** A value, and where it was said. */
export interface Given<T> {
  readonly value: T;
  readonly path: Path;
}

interface SectionRules {
  /** Terraform turns `"9"` into 9 and 9 into `"9"` as a variable's type asks; YAML files are taken as they are. */
  readonly converts: boolean;
}

export class Section {
  readonly #asked = new Set<string>();

  constructor(
    readonly path: Path,
    private readonly values: Readonly<Record<string, unknown>>,
    private readonly report: Report,
    private readonly rules: SectionRules,
    /** It was no mapping, and that was said: what it lacks means nothing. */
    private readonly broken = false,
  ) {}

  get keys(): readonly string[] {
    return Object.keys(this.values);
  }

  /** Whether any of them is given; they count as known. */
  has(...names: readonly string[]): boolean {
    return names.filter((name) => this.#find([name]) !== undefined).length > 0;
  }

  /** The first name is the right one; the others are spellings that documents use. */
  text(...names: readonly [string, ...string[]]): Given<string> | undefined {
    return this.#typed(names, 'text', (value) =>
      typeof value === 'string'
        ? value
        : this.rules.converts && (typeof value === 'number' || typeof value === 'boolean')
          ? String(value)
          : undefined,
    );
  }

  /** Text that YAML reads as a number where it has no quotes, such as a VLAN tag. */
  looseText(...names: readonly [string, ...string[]]): Given<string> | undefined {
    return this.#typed(names, 'text', (value) =>
      typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined,
    );
  }

  integer(
    names: string | readonly [string, ...string[]],
    { least, most }: { least?: number; most?: number } = {},
  ): Given<number> | undefined {
    const given = this.#typed(typeof names === 'string' ? [names] : names, 'a whole number', (value) => {
      const number =
        this.rules.converts && typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
      return typeof number === 'number' && Number.isSafeInteger(number) ? number : undefined;
    });
    if (!given) return undefined;
    if (given.value >= (least ?? -Infinity) && given.value <= (most ?? Infinity)) return given;
    const range =
      least === undefined
        ? `at most ${most}`
        : most === undefined
          ? `at least ${least}`
          : `${least} to ${most}`;
    this.refuse(given.path, 'config.range', `${given.value} is out of range: ${range}`);
    return undefined;
  }

  flag(...names: readonly [string, ...string[]]): Given<boolean> | undefined {
    return this.#typed(names, '`true` or `false`', (value) =>
      typeof value === 'boolean'
        ? value
        : this.rules.converts && (value === 'true' || value === 'false')
          ? value === 'true'
          : undefined,
    );
  }

  oneOf<T extends string>(name: string, choices: readonly T[]): Given<T> | undefined {
    const given = this.text(name);
    if (!given) return undefined;
    const found = choices.find((choice) => choice === given.value);
    if (found !== undefined) return { value: found, path: given.path };
    const meant = suggest(given.value, choices);
    this.refuse(
      given.path,
      'config.value',
      `${show(given.value)} is not one of ${choices.map((choice) => `\`${choice}\``).join(', ')}`,
      meant === undefined ? undefined : `did you mean \`${meant}\`?`,
    );
    return undefined;
  }

  texts(...names: readonly [string, ...string[]]): Given<readonly string[]> | undefined {
    return this.#typed(names, 'a list of text', (value) =>
      Array.isArray(value) && value.every((item) => typeof item === 'string') ? value : undefined,
    );
  }

  /** A mapping inside; an empty one where it is absent, so that its own requirements speak. */
  section(name: string): Section {
    const given = this.#typed([name], this.#mapping, (value) => (isMapping(value) ? value : undefined));
    const broken = given === undefined && this.has(name);
    return new Section([...this.path, name], given?.value ?? {}, this.report, this.rules, broken);
  }

  /** A mapping of mappings, such as `nodes`. */
  entries(name: string): readonly { readonly name: string; readonly section: Section }[] {
    const given = this.#typed([name], this.#mapping, (value) => (isMapping(value) ? value : undefined));
    return Object.entries(given?.value ?? {}).flatMap(([key, value]) => {
      const path = [...this.path, name, key];
      if (isMapping(value))
        return [{ name: key, section: new Section(path, value, this.report, this.rules) }];
      this.refuse(path, 'config.type', `expected ${this.#mapping}, found ${show(value)}`);
      return [];
    });
  }

  /** A list of mappings. */
  list(name: string): readonly Section[] {
    const given = this.#typed([name], 'a list', (value) => (Array.isArray(value) ? value : undefined));
    return (given?.value ?? []).flatMap((value, i) => {
      const path = [...this.path, name, i];
      if (isMapping(value)) return [new Section(path, value, this.report, this.rules)];
      this.refuse(path, 'config.type', `expected ${this.#mapping}, found ${show(value)}`);
      return [];
    });
  }

  /** Reports the key as missing unless a value is there. */
  required<T>(given: Given<T> | undefined, name: string, example: string): Given<T> | undefined {
    const wasThere = this.#asked.has(name) && this.values[name] !== undefined && this.values[name] !== null;
    if (given === undefined && !wasThere && !this.broken) {
      const where = this.path.length === 0 ? 'the file' : `\`${formatPath(this.path)}\``;
      this.report.error({
        code: 'config.missing',
        path: this.path,
        message: `${where} needs \`${name}\``,
        hint: `for example \`${name}${this.rules.converts ? ' =' : ':'} ${example}\``,
        at: typeof this.path.at(-1) === 'number' ? 'value' : 'key',
      });
    }
    return given;
  }

  refuse(path: Path, code: string, message: string, hint?: string): void {
    this.report.error({ code, path, message: named(path, message), hint });
  }

  warn(path: Path, code: string, message: string, hint?: string): void {
    this.report.warning({ code, path, message: named(path, message), hint });
  }

  /** Keys that no one asked for. */
  get unknownKeys(): readonly string[] {
    return this.keys.filter((key) => !this.#asked.has(key));
  }

  suggestFor(key: string): string | undefined {
    return suggest(
      key,
      [...this.#asked].filter((name) => this.values[name] === undefined),
    );
  }

  /** Says every key that no one asked for: Terraform drops them without a word. */
  refuseUnknown(): void {
    for (const key of this.unknownKeys) {
      if (this.report.isFull()) return;
      const meant = this.suggestFor(key);
      this.report.error({
        code: 'config.unknown-key',
        path: [...this.path, key],
        message: `${this.path.length === 0 ? 'the file' : `\`${formatPath(this.path)}\``} has no key \`${key}\``,
        hint:
          meant === undefined ? `known here: ${[...this.#asked].join(', ')}` : `did you mean \`${meant}\`?`,
        at: 'key',
      });
    }
  }

  get #mapping(): string {
    return this.rules.converts ? 'an object' : 'a mapping (`key: value`)';
  }

  /** `null` means: not given. */
  #find(names: readonly string[]): { readonly name: string; readonly value: unknown } | undefined {
    for (const name of names) this.#asked.add(name);
    const found = names.filter((name) => Object.hasOwn(this.values, name) && this.values[name] !== null);
    const [first, second] = found;
    if (first !== undefined && second !== undefined) {
      this.refuse(
        [...this.path, second],
        'config.duplicate-key',
        `is \`${first}\` in another spelling`,
        'keep one of them',
      );
    }
    return first === undefined ? undefined : { name: first, value: this.values[first] };
  }

  #typed<T>(
    names: readonly string[],
    expected: string,
    read: (value: unknown) => T | undefined,
  ): Given<T> | undefined {
    const found = this.#find(names);
    if (!found) return undefined;
    const path = [...this.path, found.name];
    const value = read(found.value);
    if (value !== undefined) return { value, path };
    this.refuse(path, 'config.type', `expected ${expected}, found ${show(found.value)}`);
    return undefined;
  }
}

function named(path: Path, message: string): string {
  return path.length === 0 ? message : `\`${formatPath(path)}\`: ${message}`;
}
