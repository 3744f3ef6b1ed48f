/** A config in the shape of oxherd.yaml, put together value by value; each knows where it was said. */
import { isMapping } from '../../formats/text/mapping.js';
import type { Diagnostic } from '../diagnostics.js';
import { formatPath, isPrefix, type Path } from '../yaml/position.js';
import type { ConfigSource } from '../yaml/yaml-source.js';
import type { ForeignDocument } from './document.js';
import type { KeptComment } from './renovate.js';
import type { Given } from './section.js';

/** A name from a foreign file can be `__proto__`: an assignment would change what every object has. */
function setOwn(object: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true });
}

export class Translation {
  readonly #raw: Record<string, unknown> = {};
  readonly #origins: { readonly here: Path; readonly there: Path }[] = [];
  readonly #comments = new Map<string, KeptComment>();
  readonly #remarks: string[] = [];

  /** Sets a value and remembers which foreign key said it. */
  put(here: readonly string[], value: unknown, there: Path): void {
    let at = this.#raw;
    for (const step of here.slice(0, -1)) {
      const next = Object.hasOwn(at, step) ? at[step] : undefined;
      if (isMapping(next)) at = next;
      else {
        const made: Record<string, unknown> = {};
        setOwn(at, step, made);
        at = made;
      }
    }
    setOwn(at, here.at(-1) ?? '', value);
    this.#origins.push({ here, there });
  }

  /** Does nothing where nothing was given. */
  move<T>(
    here: readonly string[],
    given: Given<T> | undefined,
    turn: (value: T) => unknown = (value) => value,
  ): void {
    if (given !== undefined) this.put(here, turn(given.value), given.path);
  }

  /** A section as a whole stands where a foreign one stands. */
  place(here: readonly string[], there: Path): void {
    this.#origins.push({ here, there });
  }

  /** A comment that stays with a value of a file which is no part of the document. */
  comment(here: readonly string[], comment: KeptComment | undefined): void {
    if (comment) this.#comments.set(formatPath(here), comment);
  }

  /** Said at the head of the converted file. */
  remark(line: string): void {
    this.#remarks.push(line);
  }

  get remarks(): readonly string[] {
    return this.#remarks;
  }

  commentsIn({ commentOf }: ForeignDocument): ReadonlyMap<string, KeptComment> {
    const found = new Map(this.#comments);
    for (const { here, there } of this.#origins) {
      const comment = there.length > 0 ? commentOf?.(there) : undefined;
      if (comment) found.set(formatPath(here), comment);
    }
    return found;
  }

  get raw(): Readonly<Record<string, unknown>> {
    return this.#raw;
  }

  /** Their keys by ours. */
  get wasCalled(): ReadonlyMap<string, string> {
    return new Map(this.#origins.map(({ here, there }) => [formatPath(here), formatPath(there)]));
  }

  source(document: ForeignDocument): ConfigSource {
    return {
      raw: this.#raw,
      positionOf: (path, part) => {
        const there = this.originOf(path);
        return document.positionOf(there ?? [], part);
      },
      frameOf: document.frameOf,
    };
  }

  /** The foreign place of a path, or of the nearest one that is known. */
  originOf(path: Path): Path | undefined {
    let best: { readonly here: Path; readonly there: Path } | undefined;
    for (const origin of this.#origins) {
      if (isPrefix(origin.here, path) && (!best || origin.here.length >= best.here.length)) best = origin;
    }
    if (best === undefined) return undefined;
    // Indexes into a list that was taken over as it is.
    const rest = path.slice(best.here.length).filter((step) => typeof step === 'number');
    return [...best.there, ...rest];
  }

  /** Messages speak of the keys that the user wrote. */
  inTheirWords(diagnostics: readonly Diagnostic[]): Diagnostic[] {
    const words = this.wasCalled;
    const translate = (text: string): string =>
      text.replaceAll(/`([A-Za-z][^`\s]*)`/g, (quoted, path: string) => {
        const theirs = words.get(path);
        return !theirs ? quoted : `\`${theirs}\``;
      });
    return diagnostics.map((d) => ({ ...d, message: translate(d.message) }));
  }
}
