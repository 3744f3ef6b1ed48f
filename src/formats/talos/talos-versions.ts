/** What a config asks of the Talos that reads it: kinds of documents, and keys, that came with a later minor. */
import { once } from '../../model/memoize.js';
import { parseVersion, type Version } from '../../model/version.js';
import { FIELD_SINCE } from '../gen/talos-field-versions.js';
import { KIND_SINCE } from '../gen/talos-shapes.js';
import { isMapping, type Mapping, ownValue } from '../text/mapping.js';
import { documentShape, type Shape, structOf } from './talos-shapes.js';

/** The kind of the one document that has no `kind`. */
export const MAIN_KIND = 'v1alpha1';

/** Whether a kind of document is known to that minor of Talos. */
export function kindKnownTo(kind: string, version: Version): boolean {
  return kind === MAIN_KIND || isSince(ownValue(KIND_SINCE, kind), version);
}

/** Keys of a document, as paths, that this minor does not know: its loader refuses the config. */
export function keysUnknownTo(kind: string, value: Mapping, version: Version): string[] {
  const shape = documentShape(kind);
  return shape ? unknownIn(value, shape, version, []) : [];
}

function unknownIn(value: unknown, shape: Shape, version: Version, path: readonly string[]): string[] {
  switch (shape.kind) {
    case 'pointer':
      return unknownIn(value, shape.to, version, path);
    case 'list':
      return Array.isArray(value)
        ? value.flatMap((item, index) => unknownIn(item, shape.item, version, [...path, String(index)]))
        : [];
    case 'map':
      return isMapping(value)
        ? Object.entries(value).flatMap(([key, item]) => unknownIn(item, shape.item, version, [...path, key]))
        : [];
    case 'struct':
      return isMapping(value) ? unknownInStruct(value, shape.name, version, path) : [];
    default:
      return [];
  }
}

function unknownInStruct(value: Mapping, name: string, version: Version, path: readonly string[]): string[] {
  const { fields } = structOf(name);
  return Object.entries(value).flatMap(([key, item]) => {
    const since = ownValue(FIELD_SINCE[name] ?? {}, key);
    if (since !== undefined && !isSince(since, version)) return [[...path, key].join('.')];
    const field = fields.get(key);
    return field ? unknownIn(item, field.shape, version, [...path, key]) : [];
  });
}

/** A minor from which on nothing is new to it that is known here. */
const NEWEST = once(() => {
  const all = [KIND_SINCE, ...Object.values(FIELD_SINCE)].flatMap((table) => Object.values(table));
  const minors = all.flatMap((minor) => parseVersion(`${minor}.0`) ?? []);
  return minors.reduce((a, b) => (b.major > a.major || (b.major === a.major && b.minor > a.minor) ? b : a));
});

/** Whether this minor knows every kind and key of those that are known here at all. */
export function knowsEveryKey({ major, minor }: Version): boolean {
  const newest = NEWEST();
  return major > newest.major || (major === newest.major && minor >= newest.minor);
}

function isSince(minor: string | undefined, version: Version): boolean {
  const since = parseVersion(`${minor}.0`);
  return (
    since !== undefined &&
    (version.major > since.major || (version.major === since.major && version.minor >= since.minor))
  );
}
