/**
 * Changes to the user's file that leave every other line as it is, byte by byte: by the places of values in the text. Writing a
 * parsed document again would change spaces, quotes and line breaks everywhere.
 */
import { type Document, isMap, isScalar, isSeq, type Node } from 'yaml';
import { isMapping } from '../../formats/text/mapping.js';
import { OxherdError } from '../../model/error.js';
import { formatPath, type Path } from '../yaml/position.js';
import { blockLines, blockScalarText, inlineText, keyText, scalarText } from './written-value.js';
import {
  type Collection,
  colonOf,
  dashOf,
  endOf,
  indentOf,
  isBlockCollection,
  isBlockScalar,
  isInFlow,
  lineEnd,
  lineEndOf,
  lineStart,
  nextLine,
  type Place,
  parseText,
  placeOf,
  startOf,
} from './yaml-places.js';

/** Text that stands in the place of another. */
interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Writes another value where a single value stands on one line. */
export function replaceScalar(text: string, path: Path, value: string | number | boolean): string {
  const { node } = placeOf(parseText(text), path) ?? {};
  if (!isScalar(node)) throw notThere(path, 'a single value');
  if (isBlockScalar(node)) throw notThere(path, 'a value on one line');
  return setKey(text, path, value);
}

/** Gives a key another value, or adds it with the mappings it is in. */
export function setKey(text: string, path: Path, value: unknown): string {
  const document = parseText(text);
  const place = placeOf(document, path);
  const splices = place
    ? replaced(text, document, path, place, value)
    : inserted(text, document, path, value);
  return edited(text, splices, path, (before) => withValue(before, path, value));
}

/** Takes a key or an item out; a comment right above it goes with it. */
export function removeKey(text: string, path: Path): string {
  const document = parseText(text);
  const place = placeOf(document, path);
  if (!place?.parent) throw notThere(path, 'a key');
  return edited(text, removed(text, document, path, place, place.parent), path, (before) =>
    withoutValue(before, path),
  );
}

/** Gives each text of these lists to `change`: one that becomes empty is taken out, and a list without any with it. */
export function changeTexts(
  text: string,
  lists: readonly Path[],
  change: (item: string) => string,
): { readonly text: string; readonly changed: readonly Path[] } {
  const before = parseText(text);
  let after = text;
  const changed: Path[] = [];
  for (const path of lists) {
    const { node } = placeOf(before, path) ?? {};
    if (!isSeq(node)) continue;
    const items = node.items.map((item) => {
      const old = isScalar(item) && typeof item.value === 'string' ? item.value : undefined;
      return { old, fresh: old === undefined ? undefined : change(old) };
    });
    changed.push(...items.flatMap(({ old, fresh }, i) => (old === fresh ? [] : [[...path, i]])));
    if (items.length > 0 && items.every(({ old, fresh }) => fresh === '' && old !== fresh)) {
      after = removeKey(after, path);
      continue;
    }
    // From the last to the first, so that the places of the others stay.
    for (const [i, { old, fresh }] of [...items.entries()].reverse()) {
      if (old === fresh) continue;
      after = fresh === '' ? removeKey(after, [...path, i]) : setKey(after, [...path, i], fresh);
    }
  }
  return { text: after, changed };
}

function replaced(
  text: string,
  document: Document.Parsed,
  path: Path,
  { node, pair, parent }: Place,
  value: unknown,
): Splice[] {
  const inFlow = isInFlow(document, path);
  const [from = 0, to = 0] = node.range ?? [];
  if (isBlockScalar(node)) {
    const end = endOf(text, node);
    return [{ from, to: end, text: blockValue(text, node, value) ?? inlineText(value, inFlow) }];
  }
  if (isBlockCollection(node) && node.items.length > 0) {
    if (isSeq(node) && Array.isArray(value) && value.length > 0) return replacedItems(text, node, value);
    const colon = pair && colonOf(pair);
    const end = endOf(text, node);
    // A key without a value may be the last of it, and end right before a comment.
    const gap = text[end] === '#' ? ' ' : '';
    if (colon === undefined) return [{ from, to: end, text: inlineText(value, inFlow) + gap }];
    return [
      { from: colon, to: colon, text: ` ${inlineText(value, inFlow)}` },
      { from: lineEnd(text, colon), to: lineEnd(text, end), text: '' },
    ];
  }
  const old = text.slice(from, to);
  // A key without a value ends with its colon, an item with its dash; a comment may follow.
  if (old === '') {
    const dash = parent && dashOf(parent, node);
    const at = (pair && colonOf(pair)) ?? (dash === undefined ? from : dash + 1);
    return [{ from: at, to: at, text: ` ${inlineText(value, inFlow)}` }];
  }
  const written =
    isScalar(node) && !isMapping(value) && !Array.isArray(value)
      ? scalarText(value, inFlow, node.type)
      : inlineText(value, inFlow, /^\[\s/.test(old));
  return [{ from, to, text: written }];
}

/** `undefined`: not as a block. */
function blockValue(text: string, node: Node, value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined;
  const [from = 0, to = 0] = node.range ?? [];
  const [header = '', ...lines] = text.slice(from, to).split(/\r?\n/);
  const indent = /^ */.exec(lines.find((line) => line.trim() !== '') ?? '')?.[0] ?? '';
  // Its first line says where the others begin.
  if (indent === '' || /^\d/.test(header.slice(1)) || /^\s|\r/.test(value)) return undefined;
  return blockScalarText(header, value, { indent, eol: lineEndOf(text) });
}

/** Items that stay keep their lines, with their comments. */
function replacedItems(text: string, list: Collection, value: readonly unknown[]): Splice[] {
  const starts = list.items.map((item) => dashOf(list, item) ?? startOf(item));
  const first = starts[0] ?? 0;
  const end = lineEnd(text, endOf(text, list));
  const indent = indentOf(text, first);
  const chunks = list.items.map((item, i) => ({
    value: JSON.stringify(item),
    text: text
      .slice(starts[i], i + 1 < starts.length ? lineStart(text, starts[i + 1] ?? 0) : end)
      .replace(/\r?\n$/, ''),
  }));
  const lines = value.map((item) => {
    const at = chunks.findIndex((chunk) => chunk.value === JSON.stringify(item));
    const [kept] = at < 0 ? [] : chunks.splice(at, 1);
    return kept?.text ?? `- ${inlineText(item, false)}`;
  });
  return [{ from: first, to: end, text: lines.join(`${lineEndOf(text)}${indent}`) }];
}

function inserted(text: string, document: Document.Parsed, path: Path, value: unknown): Splice[] {
  const depth = path.findLastIndex((_, i) => placeOf(document, path.slice(0, i)) !== undefined);
  const parent = depth < 0 ? undefined : placeOf(document, path.slice(0, depth));
  const [key = '', ...rest] = path.slice(Math.max(0, depth));
  const whole = rest.reduceRight<unknown>((below, name) => ({ [name]: below }), value);
  const eol = lineEndOf(text);
  if (!parent) {
    const gap = text === '' || text.endsWith('\n') ? '' : eol;
    const lines = blockLines(key, whole, '').map((line) => line + eol);
    return [{ from: text.length, to: text.length, text: gap + lines.join('') }];
  }
  const { node } = parent;
  if (isScalar(node) && node.value === null)
    return replaced(text, document, path.slice(0, depth), parent, { [key]: whole });
  if (!isMap(node)) throw notThere(path.slice(0, depth), 'a mapping');
  const [from = 0, to = 0] = node.range ?? [];
  if (node.items.length === 0) return [{ from, to, text: inlineText({ [key]: whole }, true) }];
  const end = endOf(text, node.flow ? node.items.at(-1) : node);
  if (node.flow) return [{ from: end, to: end, text: `, ${keyText(key)}: ${inlineText(whole, true)}` }];
  const lines = blockLines(key, whole, indentOf(text, startOf(node.items[0])));
  const at = lineEnd(text, end);
  return [{ from: at, to: at, text: lines.map((line) => eol + line).join('') }];
}

function removed(
  text: string,
  document: Document.Parsed,
  path: Path,
  { node, pair }: Place,
  parent: Collection,
): Splice[] {
  const item: unknown = pair ?? node;
  if (parent.items.length === 1) {
    const holder = placeOf(document, path.slice(0, -1));
    return holder ? replaced(text, document, path.slice(0, -1), holder, isMap(parent) ? {} : []) : [];
  }
  const items: readonly unknown[] = parent.items;
  const at = items.indexOf(item);
  if (parent.flow) {
    const next = items[at + 1];
    const before = items[at - 1];
    const from = next === undefined ? endOf(text, before) : startOf(item);
    return [{ from, to: next === undefined ? endOf(text, item) : startOf(next), text: '' }];
  }
  const begin = (pair ? undefined : dashOf(parent, item)) ?? startOf(item);
  const prefix = text.slice(lineStart(text, begin), begin);
  // Behind the dash of a list: the next key takes its place.
  if (prefix.trim() !== '') return [{ from: begin, to: startOf(items[at + 1]), text: '' }];
  const from = lineStart(text, commentsAbove(text, begin, prefix));
  return [{ from, to: nextLine(text, endOf(text, item)), text: '' }];
}

/** The first of the comment lines right above a place that are indented as it is. */
function commentsAbove(text: string, offset: number, indent: string): number {
  const start = lineStart(text, offset);
  if (start === 0) return start;
  const above = lineStart(text, start - 1);
  return text.startsWith(`${indent}#`, above) ? commentsAbove(text, above, indent) : start;
}

/** The edited text is used only if it reads back as exactly the intended change; otherwise the text stays. */
function edited(
  text: string,
  splices: readonly Splice[],
  path: Path,
  meant: (before: unknown) => unknown,
): string {
  const after = splices.reduceRight(
    (rest, { from, to, text: piece }) => rest.slice(0, from) + piece + rest.slice(to),
    text,
  );
  const read = readValue(after);
  if (read === undefined || JSON.stringify(read.value) !== JSON.stringify(meant(parseText(text).toJS())))
    throw notThere(path, 'a value that can be changed in its place');
  return after;
}

function readValue(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: parseText(text).toJS() };
  } catch (error) {
    if (error instanceof OxherdError) return undefined;
    throw error;
  }
}

function withValue(at: unknown, [key, ...rest]: Path, value: unknown): unknown {
  if (key === undefined) return value;
  if (Array.isArray(at)) return at.map((item, i) => (i === key ? withValue(item, rest, value) : item));
  const entries = isMapping(at) ? Object.entries(at) : [];
  const next = (of: unknown) => withValue(of, rest, value);
  return Object.fromEntries(
    entries.some(([name]) => name === String(key))
      ? entries.map(([name, of]) => [name, name === String(key) ? next(of) : of])
      : [...entries, [String(key), next(undefined)]],
  );
}

function withoutValue(at: unknown, [key, ...rest]: Path): unknown {
  const isLast = rest.length === 0;
  if (Array.isArray(at))
    return isLast
      ? at.filter((_, i) => i !== key)
      : at.map((item, i) => (i === key ? withoutValue(item, rest) : item));
  const entries = isMapping(at) ? Object.entries(at) : [];
  return Object.fromEntries(
    entries.flatMap(([name, of]) => {
      if (name !== String(key)) return [[name, of]];
      return isLast ? [] : [[name, withoutValue(of, rest)]];
    }),
  );
}

function notThere(path: Path, what: string): OxherdError {
  return new OxherdError('config.edit', `\`${formatPath(path)}\` is not ${what} in oxherd.yaml`, {
    advice: 'edit oxherd.yaml yourself',
  });
}
