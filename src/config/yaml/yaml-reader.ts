/** A parsed YAML document to plain values, and the place of each. */
import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import { isSensitiveKey } from '../../formats/redact/redact-text.js';
import { MAX_PROBLEMS } from '../report.js';
import { parseSecretRef } from '../secret-ref.js';
import type { Path, Position } from './position.js';

/** Aliases of aliases grow without end; no config of a cluster comes near this. */
const MAX_VALUES = 200_000;
const MAX_DEPTH = 64;

/** Parts of the config that are handed to Talos as they are. */
const FREE_FORM_KEYS: ReadonlySet<string> = new Set(['patches', 'apiServer', 'kubelet', 'machineFeatures']);

class TooMuch extends Error {}

interface YamlProblem {
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
  readonly offset: number;
}

/** Walks the document once for values and problems; positions are looked up when asked for. */
export class YamlReader {
  readonly problems: YamlProblem[] = [];
  /** Ranges of scalars that look like secrets. */
  readonly secrets: [number, number][] = [];
  readonly #anchors = new Map<string, Node>();
  readonly #open = new Set<Node>();
  readonly #indexes = new Map<Node, ReadonlyMap<string, Pair>>();
  #values = 0;

  constructor(
    private readonly root: Node | null,
    private readonly placeOf: (offset: number) => Position,
  ) {}

  read(): unknown {
    try {
      return this.#plain(this.root, 0);
    } catch (error) {
      if (!(error instanceof TooMuch)) throw error;
      this.#problem('yaml.too-large', error.message, null);
      return undefined;
    }
  }

  positionOf(path: Path, part: 'key' | 'value' = 'value'): Position {
    let node: Node | null = this.#target(this.root);
    let place = 0;
    for (const [i, step] of path.entries()) {
      const next = this.#step(node, step);
      if (!next) break;
      const wantsKey = part === 'key' && i === path.length - 1;
      // An empty value has no place of its own, and a block mapping starts on the line after its key.
      const hasPlace = next.value?.range && !isEmptyScalar(next.value) && !startsLater(next);
      place = (hasPlace && !wantsKey ? next.value?.range?.[0] : next.keyOffset) ?? place;
      node = this.#target(next.value);
    }
    return this.placeOf(place);
  }

  #step(node: Node | null, step: string | number): { value: Node | null; keyOffset?: number } | undefined {
    if (isSeq(node) && typeof step === 'number') {
      const item = node.items[step] as Node | undefined;
      return item && { value: item };
    }
    if (!isMap(node)) return undefined;
    const found = this.#pairsOf(node).get(String(step));
    if (found && isScalar(found.key)) {
      return {
        value: found.value as Node | null,
        ...(found.key.range && { keyOffset: found.key.range[0] }),
      };
    }
    for (const merged of this.#merged(node.items as Pair<Node, Node | null>[])) {
      const inner = this.#step(merged, step);
      if (inner) return inner;
    }
    return undefined;
  }

  /** By key, made once per mapping: a file may have very many mistakes. */
  #pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
    const known = this.#indexes.get(map);
    if (known) return known;
    const index = new Map(
      map.items.flatMap((pair) => (isScalar(pair.key) ? [[String(pair.key.value), pair] as const] : [])),
    );
    this.#indexes.set(map, index);
    return index;
  }

  *#merged(items: readonly Pair<Node, Node | null>[]): Generator<Node> {
    for (const pair of items) {
      if (!isMergeKey(pair)) continue;
      const value = this.#target(pair.value);
      for (const each of isSeq(value) ? value.items : [value]) {
        const target = this.#target(each as Node | null);
        if (isMap(target)) yield target;
      }
    }
  }

  #target(node: Node | null): Node | null {
    return isAlias(node) ? (this.#anchors.get(node.source) ?? null) : node;
  }

  #plain(node: Node | null, depth: number): unknown {
    if (++this.#values > MAX_VALUES) {
      throw new TooMuch(
        `the file expands to more than ${MAX_VALUES.toLocaleString('en')} values through its aliases`,
      );
    }
    if (depth > MAX_DEPTH) throw new TooMuch(`the file is nested more than ${MAX_DEPTH} levels deep`);
    if (node === null) return null;
    if (isAlias(node)) return this.#alias(node, depth);
    if ('anchor' in node && typeof node.anchor === 'string') this.#anchors.set(node.anchor, node);
    if (isScalar(node)) return node.value;
    this.#open.add(node);
    const value = isSeq(node)
      ? node.items.map((item) => this.#plain(item as Node | null, depth + 1))
      : isMap(node)
        ? this.#map(node.items as Pair<Node, Node | null>[], depth)
        : null;
    this.#open.delete(node);
    return value;
  }

  #alias(node: Alias, depth: number): unknown {
    const target = this.#anchors.get(node.source);
    if (!target) {
      this.#problem('yaml.alias', `there is no anchor \`&${node.source}\` before this alias`, node);
      return null;
    }
    if (this.#open.has(target)) {
      this.#problem('yaml.alias', `the alias \`*${node.source}\` stands inside its own anchor`, node);
      return null;
    }
    return this.#plain(target, depth + 1);
  }

  #map(items: readonly Pair<Node, Node | null>[], depth: number): Record<string, unknown> {
    const own = new Map<string, unknown>();
    const merged: Record<string, unknown>[] = [];
    for (const pair of items) {
      if (isMergeKey(pair)) {
        const value = this.#plain(pair.value, depth + 1);
        for (const each of Array.isArray(value) ? value : [value]) {
          if (each !== null && typeof each === 'object' && !Array.isArray(each)) merged.push({ ...each });
          else this.#problem('yaml.merge', '`<<` merges a mapping or a list of mappings', pair.key);
        }
        continue;
      }
      if (!isScalar(pair.key)) {
        this.#problem('yaml.key', 'a key must be plain text', pair.key);
        continue;
      }
      const key = String(pair.key.value);
      // Schemas leave this key out without a word.
      if (key === '__proto__')
        this.#problem('yaml.key', 'a key cannot be called `__proto__`', pair.key, 'give it another name');
      if (own.has(key)) {
        this.#problem('yaml.duplicate-key', `\`${key}\` stands here twice`, pair.key, 'keep one of them');
      }
      if (isSensitiveKey(key)) this.#noteSecret(pair.value);
      if (FREE_FORM_KEYS.has(key)) this.#noteFreeForm(pair.value, false);
      own.set(key, this.#plain(pair.value, depth + 1));
    }
    const result = Object.assign(Object.create(null) as Record<string, unknown>, ...merged.reverse());
    for (const [key, value] of own) result[key] = value;
    return { ...result };
  }

  #noteSecret(value: Node | null): void {
    const node = this.#target(value);
    // `sealedSecrets: { key: … }`
    if (isMap(node)) {
      for (const { key, value: inner } of node.items as Pair<Node, Node | null>[]) {
        if (isScalar(key) && key.value === 'key') this.#noteSecret(inner);
      }
    }
    if (!isScalar(node) || !node.range || typeof node.value === 'boolean' || node.value === null) return;
    if (parseSecretRef(String(node.value)) === undefined) this.secrets.push([node.range[0], node.range[1]]);
  }

  /** What goes into a machine config as it is: any text in it may be a secret. Names of patch files are none. */
  #noteFreeForm(value: Node | null, inside: boolean): void {
    const node = this.#target(value);
    if (isMap(node)) {
      for (const pair of node.items as Pair<Node, Node | null>[]) this.#noteFreeForm(pair.value, true);
    } else if (isSeq(node)) {
      for (const item of node.items) this.#noteFreeForm(item as Node | null, inside);
    } else if (isScalar(node) && node.range && typeof node.value === 'string') {
      if (inside || node.value.includes('\n')) this.secrets.push([node.range[0], node.range[1]]);
    }
  }

  #problem(code: string, message: string, node: Node | null, hint?: string): void {
    if (this.problems.length >= MAX_PROBLEMS) return;
    this.problems.push({ code, message, ...(hint && { hint }), offset: node?.range?.[0] ?? 0 });
  }
}

function isMergeKey(pair: Pair<Node, Node | null>): boolean {
  return isScalar(pair.key) && pair.key.value === '<<' && pair.key.type === 'PLAIN';
}

function isEmptyScalar(node: Node): boolean {
  return isScalar(node) && node.value === null && (node.source ?? '') === '';
}

/** Whether the value is a block collection, which the eye looks for at its key. */
function startsLater(next: { value: Node | null; keyOffset?: number }): boolean {
  return next.keyOffset !== undefined && (isMap(next.value) || isSeq(next.value)) && next.value.flow !== true;
}
