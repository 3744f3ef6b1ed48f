import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type LineCounter,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { SHAPES } from './gen/shapes.js';
import {
  addressProblem,
  diskSizeProblem,
  isDuration,
  prefixProblem,
  sizeProblem,
  urlProblem,
} from './go-values.js';
import type { Shape } from './shape.js';

/** What is wrong with a document's values, as Go's YAML reader says it. */
export class Decoder {
  readonly problems: string[] = [];

  constructor(private readonly lines: LineCounter) {}

  /** Reads a node as its shape; returns the part of it that no field takes, for the complaint about unknown keys. */
  read(node: unknown, shape: Shape, key = ''): unknown {
    if (isAlias(node) || node === null || isNull(node)) return undefined;
    if (typeof shape === 'string') {
      if (shape === 'any') return undefined;
      if (shape === 'args') return this.#args(node);
      this.#scalar(node, shape);
      return undefined;
    }
    if ('ref' in shape) return this.read(node, SHAPES[shape.ref] ?? 'any', key);
    if ('enum' in shape) {
      this.#enumeration(node, shape.enum, key);
      return undefined;
    }
    if ('list' in shape) return this.#list(node, shape.list, key);
    if ('map' in shape) return this.#map(node, shape.map);
    return this.#keys(node, shape.keys);
  }

  lineOf(node: unknown): number {
    const range = isNode(node) ? node.range : undefined;
    return range ? this.lines.linePos(range[0]).line : 1;
  }

  #complain(node: unknown, text: string): void {
    this.problems.push(`line ${this.lineOf(node)}: ${text}`);
  }

  #keys(node: unknown, keys: Readonly<Record<string, Shape>>): unknown {
    if (!isMap(node)) return this.#mismatch(node, 'struct');
    this.#duplicates(node);
    const unknown: Record<string, unknown> = {};
    for (const pair of node.items) {
      const name = keyOf(pair);
      const shape = keys[name];
      const rest = shape === undefined ? plain(pair.value) : this.read(pair.value, shape, name);
      if (shape === undefined || rest !== undefined) unknown[name] = rest;
    }
    return Object.keys(unknown).length > 0 ? unknown : undefined;
  }

  #map(node: unknown, values: Shape): unknown {
    if (!isMap(node)) return this.#mismatch(node, 'map');
    this.#duplicates(node);
    const unknown: Record<string, unknown> = {};
    for (const pair of node.items) {
      const rest = this.read(pair.value, values);
      if (rest !== undefined) unknown[keyOf(pair)] = rest;
    }
    return Object.keys(unknown).length > 0 ? unknown : undefined;
  }

  #list(node: unknown, items: Shape, key: string): unknown {
    if (!isSeq(node)) return this.#mismatch(node, 'slice');
    const unknown = node.items
      .map((item) => this.read(item, items, key))
      .filter((rest) => rest !== undefined);
    return unknown.length > 0 ? unknown : undefined;
  }

  /** Extra arguments: each value a text or a list of texts. */
  #args(node: unknown): undefined {
    if (!isMap(node)) {
      this.#mismatch(node, 'map');
      return undefined;
    }
    for (const pair of node.items) {
      if (isMap(pair.value)) this.#mismatch(pair.value, 'string');
    }
    return undefined;
  }

  #duplicates(map: YAMLMap): void {
    const seen = new Map<string, unknown>();
    for (const pair of map.items) {
      const name = keyOf(pair);
      const first = seen.get(name);
      if (first !== undefined) {
        this.#complain(
          pair.key,
          `mapping key ${JSON.stringify(name)} already defined at line ${this.lineOf(first)}`,
        );
      } else {
        seen.set(name, pair.key);
      }
    }
  }

  #scalar(node: unknown, type: string): void {
    if (!isScalar(node)) {
      this.#mismatch(node, GO_TYPES[type] ?? type);
      return;
    }
    const { value } = node;
    const text = scalarText(node);
    if (type === 'bool') {
      if (typeof value !== 'boolean') this.#cannot(node, 'bool');
    } else if (type === 'int') {
      // Octal file modes and the like are numbers too.
      if (typeof value !== 'number' || !Number.isInteger(value)) this.#cannot(node, 'uint32');
    } else if (type === 'duration') {
      if (!isDuration(text)) this.#cannot(node, 'time.Duration');
    } else {
      const problem = READERS[type]?.(text);
      if (problem !== undefined && text !== '') this.#complain(node, problem);
    }
  }

  #enumeration(node: unknown, values: readonly unknown[], key: string): void {
    if (!isScalar(node)) {
      this.#mismatch(node, 'string');
      return;
    }
    const text = scalarText(node);
    if (!values.some((value) => String(value) === text)) {
      this.#complain(node, `${text} does not belong to ${ENUM_NAMES[key] ?? key} values`);
    }
  }

  #cannot(node: Scalar, type: string): void {
    const tag =
      typeof node.value === 'string' ? '!!str' : typeof node.value === 'boolean' ? '!!bool' : '!!int';
    this.#complain(node, `cannot construct ${tag} \`${scalarText(node)}\` into ${type}`);
  }

  #mismatch(node: unknown, type: string): undefined {
    if (isScalar(node)) this.#cannot(node, type);
    else this.#complain(node, `cannot construct ${isSeq(node) ? '!!seq' : '!!map'} into ${type}`);
    return undefined;
  }
}

const READERS: Readonly<Record<string, (text: string) => string | undefined>> = {
  prefix: prefixProblem,
  address: addressProblem,
  size: sizeProblem,
  url: urlProblem,
  'disk-size': diskSizeProblem,
  'disk-type': (text) =>
    ['ssd', 'hdd', 'nvme', 'sd'].includes(text) ? undefined : `invalid disk type: ${text}`,
};

const GO_TYPES: Readonly<Record<string, string>> = { int: 'uint32', duration: 'time.Duration' };

/** Go's names of the enumerations, for its complaint. */
const ENUM_NAMES: Readonly<Record<string, string>> = {
  auto: 'AutoHostnameKind',
  bondMode: 'BondMode',
  vlanMode: 'VLANProtocol',
  clientIdentifier: 'ClientIdentifier',
  type: 'FilesystemType',
  volumeType: 'VolumeType',
  provider: 'EncryptionProviderType',
  xmitHashPolicy: 'BondXmitHashPolicy',
  lacpRate: 'LACPRate',
};

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'range' in value;
}

function isNull(node: unknown): boolean {
  return isScalar(node) && node.value === null;
}

export function keyOf(pair: Pair): string {
  return isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
}

/** The text as it was written: `10737418240`, `true`, `802.3ad`. */
function scalarText(node: Scalar): string {
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}

function plain(node: unknown): unknown {
  if (isMap(node)) return Object.fromEntries(node.items.map((pair) => [keyOf(pair), plain(pair.value)]));
  if (isSeq(node)) return node.items.map(plain);
  return isScalar(node) ? node.value : null;
}
