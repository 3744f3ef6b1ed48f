/** Machine configs without what an allow list does not name: fit for plans, diffs, journals and errors. */

import { isDuration } from '../talos/talos-decode.js';
import { MAIN_KIND } from '../talos/talos-documents.js';
import { scalarProblem } from '../talos/talos-scalars.js';
import { documentShape, type Shape, structOf } from '../talos/talos-shapes.js';
import { hashParts } from '../text/hash.js';
import { isMapping, type Mapping } from '../text/mapping.js';
import { readYamlDocuments } from '../text/yaml-text.js';
import { REDACTED } from './redact-text.js';
import {
  isShownType,
  SHOWN_FIELDS,
  SHOWN_FLAGS,
  SHOWN_FREE_KEYS,
  SHOWN_URLS,
  URL_TYPES,
} from './talos-allow-list.js';

/** A hidden value in documents that are compared. */
const MARK = /\(redacted\)#[0-9a-f]{6}/g;

/** What becomes of a text that may not be shown. */
type Hide = (text: string) => unknown;

/**
 * Documents to compare: two values that differ are two different marks, and a mark tells nothing of the value but that.
 * Never shown as they are: `shownDocuments` makes them fit for that.
 */
export function redactDocuments(documents: readonly Mapping[]): Mapping[] {
  return documents.map((document) => redactDocument(document, (text) => `${REDACTED}${digest(text)}`));
}

/** Every text of a config that is not shown: what must not appear in a message about it. */
export function redactedTexts(documents: readonly Mapping[]): string[] {
  const texts: string[] = [];
  for (const document of documents) {
    redactDocument(document, (text) => {
      texts.push(text);
      return REDACTED;
    });
  }
  return texts;
}

/** The same of a text that may be no machine config at all: a patch, also one that Talos refuses. */
export function redactedConfigTexts(text: string): string[] {
  try {
    return readYamlDocuments(text).flatMap((value) => {
      // A JSON patch is a list of operations.
      return redactedTexts(
        Array.isArray(value) ? value.map((item) => ({ kind: '?', item })) : [asMapping(value)],
      );
    });
  } catch {
    return text.split('\n');
  }
}

function asMapping(value: unknown): Mapping {
  return isMapping(value) ? value : { value };
}

/** Two lists of redacted documents without their marks; where a hidden value changed, the second one says so. */
export function shownPair(before: unknown, after: unknown): [unknown, unknown] {
  if (Array.isArray(after)) {
    const old: unknown[] = Array.isArray(before) ? before : [];
    return [show(before), after.map((item: unknown, index) => shownPair(old[index], item)[1])];
  }
  if (isMapping(after)) {
    const old = isMapping(before) ? before : {};
    return [
      show(before),
      Object.fromEntries(Object.entries(after).map(([key, item]) => [key, shownPair(old[key], item)[1]])),
    ];
  }
  const shown = [show(before), show(after)] as const;
  const changed = typeof shown[1] === 'string' && before !== after && shown[0] === shown[1];
  return [shown[0], changed ? `${shown[1]} (changed)` : shown[1]];
}

function show(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll(MARK, REDACTED);
  if (Array.isArray(value)) return value.map(show);
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, show(item)]));
}

/** Short on purpose: it tells two values apart, and is no way to try out guesses on. It stays in memory. */
function digest(text: string): string {
  return `#${hashParts([text]).slice(0, 6)}`;
}

function redactDocument(document: Mapping, hide: Hide): Mapping {
  const kind = typeof document.kind === 'string' && document.kind !== '' ? document.kind : MAIN_KIND;
  const shape = documentShape(kind) ?? { kind: 'any' };
  const redacted = redact(document, shape, hide, '');
  return isMapping(redacted) ? redacted : {};
}

function redact(value: unknown, shape: Shape, hide: Hide, key: string): unknown {
  switch (shape.kind) {
    case 'pointer':
      return redact(value, shape.to, hide, key);
    case 'struct':
      return isMapping(value) ? redactStruct(value, shape.name, hide) : redactFree(value, hide, key);
    case 'list':
      return Array.isArray(value)
        ? value.map((item: unknown) => redact(item, shape.item, hide, key))
        : redactFree(value, hide, key);
    case 'map':
      return isMapping(value)
        ? mapValues(value, (item, name) => redact(item, shape.item, hide, name))
        : redactFree(value, hide, key);
    case 'any':
      return redactFree(value, hide, key);
    case 'opaque':
      return redactOpaque(value, shape.name, hide, key);
    case 'scalar':
      return shape.scalar === 'duration' && typeof value === 'string' && isDuration(value)
        ? value
        : redactLeaf(value, hide);
  }
}

function redactStruct(value: Mapping, struct: string, hide: Hide): Mapping {
  const { fields } = structOf(struct);
  const isDocument = struct.endsWith('V1Alpha1');
  return mapValues(value, (item, key) => {
    const shape = fields.get(key)?.shape;
    if (!shape) return redactFree(item, hide, key);
    if (isDocument && ['apiVersion', 'kind', 'name'].includes(key)) return item;
    if (SHOWN_FIELDS[struct]?.includes(key)) return redact(item, shape, (text) => text, key);
    if (SHOWN_URLS[struct]?.includes(key)) return redact(item, shape, (text) => shownUrl(text, hide), key);
    return redact(item, shape, hide, key);
  });
}

function redactOpaque(value: unknown, type: string, hide: Hide, key: string): unknown {
  if (type === 'meta.ArgValue' && SHOWN_FLAGS.has(key)) return value;
  if (typeof value !== 'string') return redactFree(value, hide, key);
  if (URL_TYPES.includes(type)) return shownUrl(value, hide);
  // What the type itself does not take may be anything.
  return isShownType(type) && scalarProblem(type, value) === undefined ? value : redactLeaf(value, hide);
}

/** Where anything may stand, only keys that are known to be harmless show their text. */
function redactFree(value: unknown, hide: Hide, key: string): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => redactFree(item, hide, key));
  if (isMapping(value)) return mapValues(value, (item, name) => redactFree(item, hide, name));
  return SHOWN_FREE_KEYS.has(key) ? value : redactLeaf(value, hide);
}

function redactLeaf(value: unknown, hide: Hide): unknown {
  return typeof value === 'string' && value !== '' ? hide(value) : value;
}

/** Without login and query, which is where tokens stand. */
function shownUrl(text: string, hide: Hide): unknown {
  if (!URL.canParse(text)) return hide(text);
  const url = new URL(text);
  if (url.username === '' && url.password === '' && url.search === '' && url.hash === '') return text;
  for (const part of [url.username, url.password, ...url.searchParams.values()]) if (part !== '') hide(part);
  return `${url.protocol}//${url.host}${url.pathname} ${String(hide(text))}`;
}

function mapValues(value: Mapping, map: (item: unknown, key: string) => unknown): Mapping {
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, map(item, key)]));
}
