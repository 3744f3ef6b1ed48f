/** A YAML node read as a value of a known shape, the way Go reads it into a struct. */

import { isAlias, isMap, isScalar, isSeq, type Node } from 'yaml';
import type { Mapping } from '../text/mapping.js';
import { setOwn } from '../text/mapping.js';
import { scalarProblem } from './talos-scalars.js';
import { goTypeName, type Shape, structOf } from './talos-shapes.js';

export interface Resolver {
  readonly lineOf: (node: Node | null | undefined) => number;
  readonly follow: (node: unknown) => Node | undefined;
}

export function isNode(value: unknown): value is Node {
  return isScalar(value) || isMap(value) || isSeq(value);
}

export interface Reading {
  readonly resolve: Resolver;
  readonly problems: string[];
}

/** Reads a node as a value of that shape; keys no one knows go to `unknown`, under the path they have. */
export function decodeNode(source: Node, shape: Shape, reading: Reading, unknown: Mapping): unknown {
  const node = reading.resolve.follow(source) ?? source;
  const line = reading.resolve.lineOf(node);
  const mismatch = (): undefined => {
    const tag = isMap(node) ? '!!map' : isSeq(node) ? '!!seq' : `${tagOf(node)} \`${sourceOf(node)}\``;
    reading.problems.push(`line ${line}: cannot construct ${tag} into ${goTypeName(shape)}`);
    return undefined;
  };
  if (isScalar(node) && node.value === null) return null;
  switch (shape.kind) {
    case 'pointer':
      return decodeNode(node, shape.to, reading, unknown);
    case 'any':
      return plain(node, reading);
    case 'list':
      if (!isSeq(node)) return mismatch();
      return node.items.map((item) =>
        isNode(item) || isAlias(item) ? decodeNode(item, shape.item, reading, {}) : item,
      );
    case 'map':
      return isMap(node) ? decodeMap(node, () => shape.item, reading, unknown) : mismatch();
    case 'struct': {
      if (!isMap(node)) return mismatch();
      const struct = structOf(shape.name);
      const field = (key: string): Shape | undefined =>
        struct.fields.get(key)?.shape ?? (struct.open ? { kind: 'any' } : undefined);
      return decodeMap(node, field, reading, unknown);
    }
    case 'opaque': {
      if (!isScalar(node))
        return isSeq(node) && shape.name === 'meta.ArgValue' ? plain(node, reading) : mismatch();
      const problem = scalarProblem(shape.name, sourceOf(node));
      if (problem) reading.problems.push(`line ${line}: ${problem}`);
      // Numbers of sizes and port ranges keep their type; everything else is the text that was written.
      return typeof node.value === 'number' && String(node.value) === sourceOf(node)
        ? node.value
        : sourceOf(node);
    }
    case 'scalar':
      return decodeScalar(node, shape.scalar, mismatch);
  }
}

function decodeScalar(node: Node, scalar: string, mismatch: () => undefined): unknown {
  if (!isScalar(node)) return mismatch();
  const { value } = node;
  switch (scalar) {
    case 'string':
    case 'bytes':
      // Go takes any scalar for a string, as it is written: 1.10 stays 1.10.
      return typeof value === 'string' ? value : sourceOf(node);
    case 'bool': {
      if (typeof value === 'boolean') return value;
      // Go's YAML takes the old words where a boolean is wanted, and only there.
      const old = /^(?:(y|yes|on)|(n|no|off))$/i.exec(String(value));
      return old ? old[1] !== undefined : mismatch();
    }
    case 'int':
      return Number.isInteger(value) ? value : mismatch();
    case 'uint':
      return Number.isInteger(value) && Number(value) >= 0 ? value : mismatch();
    case 'duration':
      return Number.isInteger(value) || isDuration(sourceOf(node)) ? value : mismatch();
    default:
      return typeof value === 'number' ? value : mismatch();
  }
}

/** `1h30m`, `2m0s`, `100ms`, as Go reads durations. */
export function isDuration(text: string): boolean {
  return /^[+-]?(0|(\d+(\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h))+$/.test(text);
}

function decodeMap(
  node: Node,
  shapeOf: (key: string) => Shape | undefined,
  reading: Reading,
  unknown: Mapping,
): Mapping {
  const value: Mapping = {};
  const lines = new Map<string, number>();
  for (const pair of isMap(node) ? node.items : []) {
    const key = isScalar(pair.key) ? sourceOf(pair.key) : String(pair.key);
    const line = reading.resolve.lineOf(isNode(pair.key) ? pair.key : undefined);
    const earlier = lines.get(key);
    if (earlier !== undefined) {
      reading.problems.push(
        `line ${line}: mapping key ${JSON.stringify(key)} already defined at line ${earlier}`,
      );
    }
    lines.set(key, line);
    const child = isNode(pair.value) || isAlias(pair.value) ? pair.value : undefined;
    const shape = shapeOf(key);
    if (!shape) {
      setOwn(unknown, key, child ? plain(child, reading) : null);
      continue;
    }
    const below: Mapping = {};
    setOwn(value, key, child ? decodeNode(child, shape, reading, below) : null);
    if (Object.keys(below).length > 0) setOwn(unknown, key, below);
  }
  return value;
}

function plain(source: Node, reading: Reading): unknown {
  const node = reading.resolve.follow(source) ?? source;
  if (isScalar(node)) return node.value;
  if (isSeq(node))
    return node.items.map((item) => (isNode(item) || isAlias(item) ? plain(item, reading) : item));
  const value: Mapping = {};
  for (const pair of isMap(node) ? node.items : []) {
    const child = isNode(pair.value) || isAlias(pair.value) ? pair.value : undefined;
    const key = isScalar(pair.key) ? sourceOf(pair.key) : String(pair.key);
    setOwn(value, key, child ? plain(child, reading) : null);
  }
  return value;
}

function sourceOf(node: unknown): string {
  if (!isScalar(node)) return '';
  return typeof node.value === 'string' ? node.value : (node.source ?? String(node.value));
}

function tagOf(node: Node): string {
  if (!isScalar(node)) return '!!map';
  const { value } = node;
  if (typeof value === 'boolean') return '!!bool';
  if (typeof value === 'number') return Number.isInteger(value) ? '!!int' : '!!float';
  return '!!str';
}
