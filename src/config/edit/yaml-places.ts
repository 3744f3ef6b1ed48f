/** Where things stand in the text of a YAML document. Pure. */
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { OxherdError } from '../../model/error.js';
import type { Path } from '../yaml/position.js';

export type Collection = YAMLMap | YAMLSeq;

/** A value and what holds it. */
export interface Place {
  readonly node: Node;
  /** What it is a value of; absent for the whole document. */
  readonly parent?: Collection;
  /** The key it belongs to; absent for an item of a list. */
  readonly pair?: Pair;
}

export function parseText(text: string): Document.Parsed {
  const document = parseDocument(text, { keepSourceTokens: true });
  if (document.errors.length > 0) {
    throw new OxherdError('config.edit', 'the config is not valid YAML, so it cannot be edited', {
      advice: 'look at it with `oxherd validate`',
    });
  }
  return document;
}

/** `undefined`: there is nothing at this path. */
export function placeOf(document: Document.Parsed, path: Path): Place | undefined {
  let place: Place | undefined = document.contents ? { node: document.contents } : undefined;
  for (const key of path) {
    const parent: Node | undefined = place?.node;
    if (isMap(parent)) {
      const pair: Pair | undefined = parent.items.find((one) => nameOf(one) === String(key));
      place = pair && isNode(pair.value) ? { node: pair.value, parent, pair } : undefined;
    } else if (isSeq(parent)) {
      const item: unknown = typeof key === 'number' ? parent.items[key] : undefined;
      place = isNode(item) ? { node: item, parent } : undefined;
    } else return undefined;
  }
  return place;
}

function isNode(value: unknown): value is Node {
  return isScalar(value) || isAlias(value) || isCollection(value);
}

function nameOf({ key }: Pair): string | undefined {
  return isScalar(key) ? String(key.value) : undefined;
}

/** Whether line breaks and indentation mean nothing there. */
export function isInFlow(document: Document.Parsed, path: Path): boolean {
  return path.some((_, depth) => {
    const { node } = placeOf(document, path.slice(0, depth)) ?? {};
    return isCollection(node) && node.flow === true;
  });
}

export function isBlockScalar(node: Node): node is Scalar {
  return isScalar(node) && (node.type === Scalar.BLOCK_FOLDED || node.type === Scalar.BLOCK_LITERAL);
}

export function isBlockCollection(node: Node): node is Collection {
  return isCollection(node) && node.flow !== true;
}

export function startOf(item: unknown): number {
  const node = isPair(item) ? item.key : item;
  const offset = isNode(node) ? node.range?.[0] : undefined;
  if (offset === undefined) throw new Error('a parsed node has no place');
  return offset;
}

/** Behind the last character of its content: no comment and no line end, unless a block scalar keeps them. */
export function endOf(text: string, item: unknown): number {
  if (isPair(item)) return isNode(item.value) ? endOf(text, item.value) : endOf(text, item.key);
  if (!isNode(item) || !item.range) throw new Error('a parsed node has no place');
  if (isBlockCollection(item) && item.items.length > 0) return endOf(text, item.items.at(-1));
  const [start, end] = item.range;
  if (!isBlockScalar(item)) return end;
  const [header = ''] = text.slice(start, end).split('\n', 1);
  const content = text.slice(start, end);
  return /^[|>]\d?\+/.test(header)
    ? end - (content.endsWith('\n') ? 1 : 0)
    : start + content.trimEnd().length;
}

/** Behind the colon of a key. */
export function colonOf({ srcToken }: Pair): number | undefined {
  const sep = srcToken && 'sep' in srcToken ? srcToken.sep : undefined;
  const colon = sep?.find(({ type }) => type === 'map-value-ind');
  return colon && colon.offset + 1;
}

/** The dash of an item of a block list. */
export function dashOf({ items, srcToken }: Collection, item: unknown): number | undefined {
  const all: readonly unknown[] = items;
  const dashes = (srcToken?.type === 'block-seq' ? srcToken.items : []).flatMap(
    ({ start }) => start.find(({ type }) => type === 'seq-item-ind') ?? [],
  );
  return dashes[all.indexOf(item)]?.offset;
}

export function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}

/** Before the line end, whichever it is. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  if (at < 0) return text.length;
  return text[at - 1] === '\r' && at > offset ? at - 1 : at;
}

/** At the beginning of the next line. */
export function nextLine(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at + 1;
}

/** What stands before a place in its line, as spaces: a dash counts, a byte order mark does not. */
export function indentOf(text: string, offset: number): string {
  return text.slice(lineStart(text, offset), offset).replace('\uFEFF', '').replaceAll(/[^\s]/g, ' ');
}

export function lineEndOf(text: string): '\n' | '\r\n' {
  return /\r\n/.test(text) ? '\r\n' : '\n';
}
