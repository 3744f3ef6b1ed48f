import { clone, isObj, sameJson } from '../json.js';

export class JsonPatchError extends Error {
  override readonly name = 'JsonPatchError';
}

/** JSON patch, RFC 6902. */
export function jsonPatch(target: unknown, operations: unknown): unknown {
  if (!Array.isArray(operations)) throw new JsonPatchError('not a list of operations');
  let document = clone(target);
  for (const operation of operations) {
    if (!isObj(operation) || typeof operation.path !== 'string') throw new JsonPatchError('no path');
    document = step(document, operation, operation.path);
  }
  return document;
}

function step(document: unknown, operation: Record<string, unknown>, path: string): unknown {
  switch (operation.op) {
    case 'test':
      if (!sameJson(read(document, path) ?? null, operation.value ?? null))
        throw new JsonPatchError(`test failed at ${path}`);
      return document;
    case 'add':
      return write(document, path, operation.value, true);
    case 'replace':
      // A field that is not there is added; a place in a list must be there.
      read(document, path);
      return write(document, path, operation.value, false);
    case 'remove':
      return remove(document, path);
    case 'copy':
    case 'move': {
      if (typeof operation.from !== 'string') throw new JsonPatchError('no from');
      const value = clone(read(document, operation.from) ?? null);
      const rest = operation.op === 'move' ? remove(document, operation.from) : document;
      return write(rest, path, value, true);
    }
    default:
      throw new JsonPatchError(`unknown operation ${String(operation.op)}`);
  }
}

function segments(path: string): string[] {
  if (path !== '' && !path.startsWith('/')) throw new JsonPatchError(`not a pointer: ${path}`);
  return path
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function child(parent: unknown, segment: string): unknown {
  if (Array.isArray(parent)) return parent[indexIn(parent, segment)];
  if (isObj(parent) && Object.hasOwn(parent, segment)) return parent[segment];
  throw new JsonPatchError(`nothing at ${segment}`);
}

function indexIn(list: unknown[], segment: string): number {
  const index = Number(segment);
  if (!/^\d+$/.test(segment) || index >= list.length) throw new JsonPatchError(`no element ${segment}`);
  return index;
}

/** A field that is not there reads as nothing, as long as what would hold it is there (`evanphx/json-patch`). */
function read(document: unknown, path: string): unknown {
  const place = holder(document, path);
  if (!place) return document;
  const { parent, last } = place;
  return isObj(parent) && !Object.hasOwn(parent, last) ? undefined : child(parent, last);
}

function holder(document: unknown, path: string): { parent: unknown; last: string } | undefined {
  const parts = segments(path);
  const last = parts.pop();
  if (last === undefined) return undefined;
  return { parent: parts.reduce<unknown>(child, document), last };
}

function write(document: unknown, path: string, value: unknown, insert: boolean): unknown {
  const place = holder(document, path);
  if (!place) return value;
  const { parent, last } = place;
  if (Array.isArray(parent)) {
    if (last === '-') parent.push(value);
    else if (insert && Number(last) === parent.length) parent.push(value);
    else parent.splice(indexIn(parent, last), insert ? 0 : 1, value);
  } else if (isObj(parent)) parent[last] = value;
  else throw new JsonPatchError(`nothing to write to at ${path}`);
  return document;
}

function remove(document: unknown, path: string): unknown {
  const place = holder(document, path);
  if (!place) return undefined;
  child(place.parent, place.last);
  if (Array.isArray(place.parent)) place.parent.splice(Number(place.last), 1);
  else if (isObj(place.parent)) delete place.parent[place.last];
  return document;
}
