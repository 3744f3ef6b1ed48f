import { isObj, type Obj } from '../json.js';

/**
 * A set of field paths, as in `metadata.managedFields[].fieldsV1`. A step of a path is `f:name` (field), `k:{…}` (element
 * of a keyed list) or `v:…` (element of a set).
 */
export class FieldSet {
  readonly children = new Map<string, FieldSet>();

  constructor(
    /** Whether the path that leads here is itself in the set. */
    public member = false,
  ) {}

  static parse(fields: Obj): FieldSet {
    const set = new FieldSet();
    for (const [step, below] of Object.entries(fields)) {
      if (step === '.') set.member = true;
      else {
        const child = FieldSet.parse(isObj(below) ? below : {});
        if (child.children.size === 0) child.member = true;
        set.children.set(step, child);
      }
    }
    return set;
  }

  toJson(): Obj {
    const out: Obj = this.member && this.children.size > 0 ? { '.': {} } : {};
    for (const step of [...this.children.keys()].sort()) out[step] = this.children.get(step)?.toJson() ?? {};
    return out;
  }

  get empty(): boolean {
    return !this.member && this.children.size === 0;
  }

  insert(path: readonly string[]): void {
    let node: FieldSet = this;
    for (const step of path) node = node.#child(step);
    node.member = true;
  }

  #child(step: string): FieldSet {
    const known = this.children.get(step);
    if (known) return known;
    const child = new FieldSet();
    this.children.set(step, child);
    return child;
  }

  has(path: readonly string[]): boolean {
    let node: FieldSet | undefined = this;
    for (const step of path) node = node?.children.get(step);
    return node?.member ?? false;
  }

  /** All paths in the set, in order. */
  paths(prefix: readonly string[] = []): string[][] {
    const out: string[][] = this.member ? [[...prefix]] : [];
    for (const step of [...this.children.keys()].sort()) {
      out.push(...(this.children.get(step)?.paths([...prefix, step]) ?? []));
    }
    return out;
  }

  union(other: FieldSet): FieldSet {
    const out = new FieldSet(this.member || other.member);
    for (const step of new Set([...this.children.keys(), ...other.children.keys()])) {
      const [mine, theirs] = [this.children.get(step), other.children.get(step)];
      const child = mine && theirs ? mine.union(theirs) : (mine ?? theirs);
      if (child) out.children.set(step, child);
    }
    return out;
  }

  intersection(other: FieldSet): FieldSet {
    return this.#filter((path) => other.has(path));
  }

  difference(other: FieldSet): FieldSet {
    return this.#filter((path) => !other.has(path));
  }

  equals(other: FieldSet): boolean {
    const [mine, theirs] = [this.paths(), other.paths()];
    return mine.length === theirs.length && mine.every((path) => other.has(path));
  }

  #filter(keep: (path: string[]) => boolean): FieldSet {
    const out = new FieldSet();
    for (const path of this.paths()) if (keep(path)) out.insert(path);
    return out;
  }
}

/** `.spec.ports[name="a"].port`, as conflicts name it. */
export function pathText(path: readonly string[]): string {
  return path
    .map((step) => {
      if (step.startsWith('f:')) return `.${step.slice(2)}`;
      if (step.startsWith('v:')) return `[=${step.slice(2)}]`;
      const keys: unknown = JSON.parse(step.slice(2));
      const parts = Object.entries(isObj(keys) ? keys : {}).map(
        ([key, value]) => `${key}=${JSON.stringify(value)}`,
      );
      return `[${parts.join(',')}]`;
    })
    .join('');
}
