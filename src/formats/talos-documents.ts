/** Machine configs as Talos reads them: several YAML documents, each of a kind, every key and type checked. */

import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseAllDocuments,
  stringify,
} from 'yaml';
import { OxherdError } from '../model/error.js';
import { parseVersion, type Version } from '../model/version.js';
import { DOCUMENT_STRUCTS, KIND_SINCE } from './gen/talos-shapes.js';
import { scalarProblem } from './talos-scalars.js';
import { documentShape, goTypeName, type Shape, structOf } from './talos-shapes.js';

/** The kind of the one document that has no `kind`. */
export const MAIN_KIND = 'v1alpha1';

export type Mapping = Record<string, unknown>;

export interface TalosDocument {
  readonly apiVersion: string;
  /** `v1alpha1` for the main document. */
  readonly kind: string;
  /** '' for kinds of which there is one. */
  readonly name: string;
  /** Where it begins in its text. */
  readonly line: number;
  readonly value: Mapping;
}

/** What Talos' loader says, word for word where it is Talos' own text. */
export class TalosDocumentError extends OxherdError {
  override readonly name = 'TalosDocumentError';
  constructor(message: string) {
    super('talos.document', message, {
      advice: 'Compare with the machine config reference of this Talos version.',
    });
  }
}

export function documentId(document: Pick<TalosDocument, 'apiVersion' | 'kind' | 'name'>): string {
  return `${document.apiVersion}/${document.kind}/${document.name}`;
}

/** Whether a kind of document is known to that minor of Talos. */
export function kindKnownTo(kind: string, version: Version): boolean {
  if (kind === MAIN_KIND) return true;
  const since = parseVersion(`${KIND_SINCE[kind]}.0`);
  return (
    since !== undefined &&
    (version.major > since.major || (version.major === since.major && version.minor >= since.minor))
  );
}

export function isKnownKind(kind: string): boolean {
  return kind in DOCUMENT_STRUCTS;
}

/** Loads a machine config; throws Talos' own refusal at the first document that is wrong. */
export function parseTalosDocuments(text: string): TalosDocument[] {
  const documents = splitDocuments(text).map(({ node, line, resolve }) =>
    decodeDocument(node, line, resolve),
  );
  const seen = new Set<string>();
  for (const document of documents) {
    const id = documentId(document);
    if (seen.has(id)) {
      throw new TalosDocumentError(`duplicate document ${id} is not allowed (line ${document.line})`);
    }
    seen.add(id);
  }
  if (documents.length === 0) throw new TalosDocumentError('config not found');
  return documents;
}

export function formatTalosDocuments(values: readonly Mapping[]): string {
  return values.map((value) => stringify(value, YAML_FOR_GO)).join('---\n');
}

/** Bare `off` or `yes` would be booleans to a YAML 1.1 reader; long lines stay whole. */
const YAML_FOR_GO = { compat: 'yaml-1.1', indent: 4, lineWidth: 0, aliasDuplicateObjects: false } as const;

export interface RawDocument {
  readonly node: Node;
  readonly line: number;
  readonly resolve: Resolver;
}
export interface Resolver {
  readonly lineOf: (node: Node | null | undefined) => number;
  readonly follow: (node: unknown) => Node | undefined;
}

/** The text's documents before they are read as anything; empty ones are left out. */
export function splitDocuments(text: string): RawDocument[] {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: false });
  const documents: Document.Parsed[] = 'empty' in parsed ? [] : parsed;
  const raw: RawDocument[] = [];
  for (const document of documents) {
    const error = document.errors[0];
    if (error) throw new TalosDocumentError(`decode error: ${error.message.split('\n')[0]}`);
    const resolve: Resolver = {
      lineOf: (node) => (node?.range ? lines.linePos(node.range[0]).line : 1),
      follow: (node) => (isAlias(node) ? node.resolve(document) : isNode(node) ? node : undefined),
    };
    const node = document.contents;
    if (node === null || (isScalar(node) && node.value === null)) continue;
    const line = resolve.lineOf(node);
    if (!isMap(node)) throw new TalosDocumentError(`expected a YAML document at line ${line}`);
    raw.push({ node, line, resolve });
  }
  return raw;
}

function isNode(value: unknown): value is Node {
  return isScalar(value) || isMap(value) || isSeq(value);
}

const LEGACY_KEYS = ['machine', 'cluster', 'debug', 'persist'];

export function decodeDocument(node: Node, line: number, resolve: Resolver): TalosDocument {
  const text = (key: string): string => {
    const found = isMap(node) ? resolve.follow(node.get(key, true)) : undefined;
    return isScalar(found) ? (found.source ?? String(found.value)) : '';
  };
  const apiVersion = text('apiVersion');
  const written = text('kind');
  const document = { apiVersion, kind: written || MAIN_KIND, name: text('name') };
  const fail = (problem: string): never => {
    throw new TalosDocumentError(
      `error decoding document ${documentId(document)} (line ${line}): ${problem}`,
    );
  };
  const legacy = isMap(node) && node.items.some((pair) => LEGACY_KEYS.includes(String(pair.key)));
  const version = legacy ? MAIN_KIND : apiVersion;
  if (written === '' && version !== MAIN_KIND) return fail('missing kind');
  if (version === '') return fail('missing apiVersion');
  const shape = version === MAIN_KIND ? documentShape(document.kind) : undefined;
  if (!shape) return fail(`${JSON.stringify(document.kind)} ${JSON.stringify(version)}: not registered`);
  const reading: Reading = { resolve, problems: [] };
  const unknown: Mapping = {};
  const value = decode(node, shape, reading, unknown);
  if (reading.problems.length > 0) {
    return fail(
      `error decoding ${written} to *${goTypeName(shape)}: yaml: construct errors: ${reading.problems.join(' ')}`,
    );
  }
  if (Object.keys(unknown).length > 0) {
    return fail(
      `unknown keys found during decoding:\n${stringify(unknown, { ...YAML_FOR_GO, sortMapEntries: true })}`,
    );
  }
  return { ...document, line, value: isMapping(value) ? value : {} };
}

interface Reading {
  readonly resolve: Resolver;
  readonly problems: string[];
}

/** Reads a node as a value of that shape; keys nobody knows go to `unknown`, under the path they have. */
function decode(source: Node, shape: Shape, reading: Reading, unknown: Mapping): unknown {
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
      return decode(node, shape.to, reading, unknown);
    case 'any':
      return plain(node, reading);
    case 'list':
      if (!isSeq(node)) return mismatch();
      return node.items.map((item) =>
        isNode(item) || isAlias(item) ? decode(item, shape.item, reading, {}) : item,
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
      unknown[key] = child ? plain(child, reading) : null;
      continue;
    }
    const below: Mapping = {};
    value[key] = child ? decode(child, shape, reading, below) : null;
    if (Object.keys(below).length > 0) unknown[key] = below;
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
    value[isScalar(pair.key) ? sourceOf(pair.key) : String(pair.key)] = child ? plain(child, reading) : null;
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

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
