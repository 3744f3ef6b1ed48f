/** `$patch: delete` in a strategic patch, by the rules of Talos' configloader/internal/decoder (v1.14.1). */

import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { isMapping, type Mapping, ownValue } from '../text/mapping.js';
import { MAIN_KIND, TalosDocumentError } from './talos-documents.js';
import { documentShape, type Shape, structOf } from './talos-shapes.js';

export interface Deletion {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Empty: the document itself. `[0]` is a place in a list. */
  readonly path: readonly string[];
  /** Which item of a list: the first key written beside `$patch`, and its value. */
  readonly match?: { readonly key: string; readonly value: string };
}

/** Takes the deletions out of the document. `left` is `undefined` where nothing else is in it. */
export function takeDeletions(root: Node): { deletions: Deletion[]; left: Node | undefined } {
  const found: { path: readonly string[]; item?: Node }[] = [];
  const gone = take(root, [], false, found);
  const deletions = found.map(({ path, item }) => deletionOf(root, path, item));
  return { deletions, left: gone || isEmptyDocument(root) ? undefined : root };
}

/** Whether the node is to be removed from its parent. */
function take(
  node: unknown,
  path: readonly string[],
  inList: boolean,
  found: { path: readonly string[]; item?: Node }[],
): boolean {
  if (isMap(node)) {
    if (node.items.some((pair) => textOf(pair.key) === '$patch' && textOf(pair.value) === 'delete')) {
      if (!inList && path.some((part) => part.startsWith('['))) {
        throw new TalosDocumentError(`cannot delete an inner key in '${path.join('.')}'`);
      }
      found.push(inList ? { path, item: node } : { path });
      return true;
    }
    const before = node.items.length;
    node.items = node.items.filter((pair) => !take(pair.value, [...path, textOf(pair.key)], false, found));
    return before > 0 && node.items.length === 0;
  }
  if (isSeq(node)) {
    const before = node.items.length;
    // The place is counted among what is left, as Talos counts it.
    let at = 0;
    node.items = node.items.filter((item) => {
      const remove = take(item, [...path, `[${at}]`], true, found);
      if (!remove) at++;
      return !remove;
    });
    return before > 0 && node.items.length === 0;
  }
  return false;
}

function deletionOf(root: Node, path: readonly string[], item: Node | undefined): Deletion {
  const value = (key: string): string => (isMap(root) ? textOf(root.get(key, true)) : '');
  const apiVersion = value('apiVersion');
  const kind = value('kind');
  for (const [key, text] of [
    ['apiVersion', apiVersion],
    ['kind', kind],
  ] as const) {
    if (path.length === 0 && text === '')
      throw new TalosDocumentError(`missing ${key} in document for which $patch: delete is used`);
  }
  if ((apiVersion === '') !== (kind === '')) {
    throw new TalosDocumentError(`kind and apiVersion must be both set for path ${path.join('.')}`);
  }
  const target = { apiVersion, kind: kind || MAIN_KIND, name: value('name'), path };
  if (!item) return target;
  const selector = isMap(item) ? item.items.find((pair) => textOf(pair.key) !== '$patch') : undefined;
  if (!selector) throw new TalosDocumentError(`no key:val found in sequence node for path ${path.join('.')}`);
  return { ...target, match: { key: textOf(selector.key), value: textOf(selector.value) } };
}

/** Talos counts a document as empty when only these are left; note that `apiVersion` is not among them. */
function isEmptyDocument(node: Node): boolean {
  return (
    isMap(node) &&
    node.items.every((pair) => ['version', 'kind', 'name'].includes(textOf(pair.key)) && isScalar(pair.value))
  );
}

function textOf(node: unknown): string {
  return isScalar(node) ? String(node.value ?? '') : '';
}

/** The document without what is deleted; `undefined` where the whole document goes. */
export function applyDeletion(document: Mapping, deletion: Deletion): Mapping | undefined {
  const { kind, apiVersion, path, name } = deletion;
  if (path.length === 0) return undefined;
  const shape = documentShape(kind);
  const changed = shape ? without(document, shape, path, deletion.match) : FAILED;
  if (isMapping(changed)) return changed;
  const where = `${apiVersion}/${kind}`;
  const failed = `failed to delete path '${path.join('.')}': ${changed === FAILED ? 'lookup failed' : changed}`;
  throw new TalosDocumentError(
    name === ''
      ? `patch delete: path '${path.join('.')}' in document '${where}': ${failed}`
      : `named patch delete: document ${where}: ${failed}`,
  );
}

const FAILED = Symbol('lookup failed');

function without(value: unknown, shape: Shape, path: readonly string[], match: Deletion['match']): unknown {
  const [key = '', ...rest] = path;
  if (shape.kind === 'pointer') {
    return value === undefined || value === null ? FAILED : without(value, shape.to, path, match);
  }
  if (value === undefined || value === null) {
    // A struct that is no pointer is always there in Go, if empty: deleting below it is fine.
    return shape.kind === 'struct' && structOf(shape.name).fields.has(key) ? {} : FAILED;
  }
  if (shape.kind === 'list') return withoutItem(value, match, rest.length > 0);
  if (!isMapping(value)) return FAILED;
  const open = shape.kind === 'any' || (shape.kind === 'struct' && structOf(shape.name).open);
  const field =
    shape.kind === 'struct' && !open
      ? structOf(shape.name).fields.get(key)?.shape
      : shape.kind === 'map'
        ? shape.item
        : ANY;
  if (!field) return FAILED;
  // A known field that is not set is fine to delete; a key that a free mapping does not have is not.
  if (rest.length === 0) {
    if ((open || shape.kind === 'map') && !Object.hasOwn(value, key)) return FAILED;
    return withoutKey(value, key);
  }
  const before = ownValue(value, key);
  const changed = without(before, field, rest, match);
  // Talos writes no empty lists, and a struct that was not there stays away.
  if (Array.isArray(changed) && changed.length === 0) return withoutKey(value, key);
  if (before === undefined && isMapping(changed)) return value;
  return isMapping(changed) || Array.isArray(changed) ? { ...value, [key]: changed } : changed;
}

function withoutKey(value: Mapping, key: string): Mapping {
  const { [key]: _, ...others } = value;
  return others;
}

const ANY: Shape = { kind: 'any' };

function withoutItem(value: unknown, match: Deletion['match'], deeper: boolean): unknown {
  if (deeper) return 'searching for complex paths in slices is not supported';
  if (!match) return 'searching for non-integer keys in slices is not supported';
  const items: unknown[] = Array.isArray(value) ? value : [];
  const at = items.findIndex(
    (item) => isMapping(item) && Object.hasOwn(item, match.key) && String(item[match.key]) === match.value,
  );
  return at < 0 ? FAILED : items.toSpliced(at, 1);
}
