/**
 * JSON patches (RFC 6902) with the messages and leniencies of github.com/evanphx/json-patch, which Talos and the API server
 * of Kubernetes use. Paths lead through keys that the document itself has, never through what all objects inherit.
 */

import { z } from 'zod';
import { isMapping, type Mapping, ownValue, setOwn } from './mapping.js';
import { readYaml } from './yaml-text.js';

const operation = z.object({
  op: z.enum(['add', 'remove', 'replace', 'move', 'copy', 'test']),
  path: z.string(),
  from: z.string().optional(),
  value: z.unknown().optional(),
});
type Operation = z.infer<typeof operation>;
export type JsonPatch = readonly Operation[];

/** `message` is that of the library; callers say what was patched. */
export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError';
}

/** `undefined` where the text is no JSON patch; it may be written in YAML. */
export function parseJsonPatch(text: string): JsonPatch | undefined {
  try {
    return jsonPatchFrom(readYaml(text));
  } catch {
    return undefined;
  }
}

export function jsonPatchFrom(value: unknown): JsonPatch | undefined {
  const result = z.array(operation).safeParse(value);
  return result.success ? result.data : undefined;
}

/** A patched copy; `JsonPatchError` where an operation does not apply. */
export function applyJsonPatch(document: unknown, patch: JsonPatch): unknown {
  return patch.reduce(applyOperation, structuredClone(document));
}

function applyOperation(root: unknown, { op, path, from, value = null }: Operation): unknown {
  switch (op) {
    case 'add':
    case 'replace':
      return put(root, path, structuredClone(value), op);
    case 'remove':
      return remove(root, path, op);
    case 'move':
    case 'copy': {
      if (from === undefined) throw new JsonPatchError(`${op} operation does not apply: it has no from`);
      const found = lookup(root, from, op);
      if (op === 'move') return put(remove(root, from, op), path, found, op);
      return put(root, path, structuredClone(found), op);
    }
    case 'test':
      if (canonical(lookup(root, path, op)) !== canonical(value))
        throw new JsonPatchError(`testing value ${path} failed: test failed`);
      return root;
  }
}

interface Place {
  readonly container: Mapping | unknown[];
  readonly key: string;
}

/** Changes `root` in place; the answer is another value only where the path is that of the document. */
function put(root: unknown, path: string, value: unknown, op: string): unknown {
  const place = locate(root, path, op);
  if (!place) return value;
  const { container, key } = place;
  // Unlike the RFC, the library lets `replace` add a key.
  if (!Array.isArray(container)) setOwn(container, key, value);
  else if (op === 'replace') container[indexIn(container, key, path, op, 0)] = value;
  else container.splice(key === '-' ? container.length : indexIn(container, key, path, op, 1), 0, value);
  return root;
}

function remove(root: unknown, path: string, op: string): unknown {
  const place = locate(root, path, op);
  if (!place) return null;
  const { container, key } = place;
  if (Array.isArray(container)) container.splice(indexIn(container, key, path, op, 0), 1);
  else if (Object.hasOwn(container, key)) delete container[key];
  else throw missing(op, path);
  return root;
}

/** A key that is not there reads as null, as long as its container is there; a place in a list must be there. */
function lookup(root: unknown, path: string, op: string): unknown {
  const place = locate(root, path, op);
  if (!place) return root;
  const { container, key } = place;
  if (Array.isArray(container)) return container[indexIn(container, key, path, op, 0)];
  return ownValue(container, key) ?? null;
}

/** `undefined` is the document itself, whose path is empty. */
function locate(root: unknown, path: string, op: string): Place | undefined {
  if (path === '') return undefined;
  const [before, ...steps] = path.split('/').map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  if (before !== '') throw missing(op, path);
  const key = steps.pop() ?? '';
  let at: unknown = root;
  for (const step of steps) {
    if (Array.isArray(at)) at = at[indexIn(at, step, path, op, 0)];
    else at = isMapping(at) ? ownValue(at, step) : undefined;
  }
  if (!isMapping(at) && !Array.isArray(at)) throw missing(op, path);
  return { container: at, key };
}

function indexIn(list: readonly unknown[], key: string, path: string, op: string, beyond: number): number {
  const index = Number(key);
  if (!/^\d+$/.test(key) || index >= list.length + beyond) throw missing(op, path);
  return index;
}

function missing(op: string, path: string): JsonPatchError {
  return new JsonPatchError(
    `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`,
  );
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isMapping(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}
