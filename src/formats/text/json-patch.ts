/** JSON patches (RFC 6902) with the messages and leniencies of github.com/evanphx/json-patch, which Talos uses. */

import { z } from 'zod';
import { TalosDocumentError } from '../talos/talos-documents.js';
import { isMapping } from './mapping.js';
import { readYaml } from './yaml-text.js';

const operation = z.object({
  op: z.enum(['add', 'remove', 'replace', 'move', 'copy', 'test']),
  path: z.string(),
  from: z.string().optional(),
  value: z.unknown().optional(),
});
export type JsonPatch = readonly z.infer<typeof operation>[];

/** `undefined` where the text is no JSON patch; it may be written in YAML. */
export function parseJsonPatch(text: string): JsonPatch | undefined {
  try {
    const result = z.array(operation).safeParse(readYaml(text));
    return result.success ? result.data : undefined;
  } catch {
    return undefined;
  }
}

export function applyJsonPatch(document: unknown, patch: JsonPatch): unknown {
  const root: unknown = structuredClone(document);
  for (const { op, path, from = '', value } of patch) {
    switch (op) {
      case 'add':
        put(root, path, value, 'add');
        break;
      case 'replace':
        // Unlike the RFC, the library also takes a key that is not there yet.
        put(root, path, value, 'replace');
        break;
      case 'remove':
        remove(root, path, 'remove');
        break;
      case 'move':
        put(root, path, remove(root, from, 'move'), 'move');
        break;
      case 'copy':
        put(root, path, structuredClone(lookup(root, from)), 'copy');
        break;
      case 'test':
        if (canonical(lookup(root, path)) !== canonical(value))
          throw failure(`testing value ${path} failed: test failed`);
    }
  }
  return root;
}

type Container = Record<string, unknown> | unknown[];

function put(root: unknown, path: string, value: unknown, op: string): void {
  const { container, key } = locate(root, path, op);
  if (!Array.isArray(container)) container[key] = value;
  else if (op === 'replace') container[indexIn(container, key, path, op, 0)] = value;
  else container.splice(key === '-' ? container.length : indexIn(container, key, path, op, 1), 0, value);
}

function remove(root: unknown, path: string, op: string): unknown {
  const { container, key } = locate(root, path, op);
  if (Array.isArray(container)) return container.splice(indexIn(container, key, path, op, 0), 1)[0];
  if (!(key in container)) throw missing(op, path);
  const value = container[key];
  delete container[key];
  return value;
}

function locate(root: unknown, path: string, op: string): { container: Container; key: string } {
  const steps = path
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
  const key = steps.pop() ?? '';
  let at: unknown = root;
  for (const step of steps) at = Array.isArray(at) ? at[Number(step)] : isMapping(at) ? at[step] : undefined;
  if (!isMapping(at) && !Array.isArray(at)) throw missing(op, path);
  return { container: at, key };
}

function lookup(root: unknown, path: string): unknown {
  const { container, key } = locate(root, path, 'test');
  return Array.isArray(container) ? container[Number(key)] : container[key];
}

function indexIn(list: readonly unknown[], key: string, path: string, op: string, beyond: number): number {
  const index = Number(key);
  if (!/^\d+$/.test(key) || index >= list.length + beyond) throw missing(op, path);
  return index;
}

function missing(op: string, path: string): TalosDocumentError {
  return failure(
    `${op} operation does not apply: doc is missing path: ${JSON.stringify(path)}: missing value`,
  );
}

function failure(problem: string): TalosDocumentError {
  return new TalosDocumentError(`failure applying rfc6902 patches to talos machine config: ${problem}`);
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    isMapping(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
  );
}
