/** What docs/changes.md says of an edit: the entries of the keys that it changes. */
import { effectOf } from '../../src/config/reference/change-effects.js';
import { baseFile, type CatalogueEdit } from './edit-catalogue.js';

/** The words of the page for each changed key; nodes and volumes that come or go have no key of their own. */
export function documentedEffects({ change }: CatalogueEdit): Map<string, readonly string[]> {
  const [before, after] = [baseFile(), baseFile()];
  change(after);
  const keys = changedPaths(before, after).map((path) => keyOf(path, after.volumes));
  return new Map(
    keys.flatMap((names) => {
      const key = names.find((name) => effectOf(name) !== undefined);
      const entry = key === undefined ? undefined : effectOf(key);
      return key !== undefined && entry ? [[key, entry[0]] as const] : [];
    }),
  );
}

/** Down to the first value that is no mapping on both sides. */
function changedPaths(before: unknown, after: unknown, path: readonly string[] = []): string[][] {
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  if (!isMapping(before) || !isMapping(after)) return [[...path]];
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...keys].flatMap((key) => changedPaths(before[key], after[key], [...path, key]));
}

/** As the page may write it, the likelier first. */
function keyOf(path: readonly string[], volumes: Readonly<Record<string, unknown>>): string[] {
  const [section = '', name = '', ...rest] = path;
  const below = rest.join('.');
  if (section === 'defaults') return [`defaults.all.${below}`, `defaults.all.${rest[0]}`];
  if (section === 'nodes') return [`nodes.<name>.${below}`, `defaults.all.${below}`];
  if (section === 'hosts') return [`hosts.<name>.${below}`];
  if (section === 'volumes') {
    const volume = volumes[name];
    const type = isMapping(volume) && typeof volume.type === 'string' ? volume.type : 'disk';
    return [`volumes.<name> (${type}).${below || 'on'}`];
  }
  return [path.join('.'), `${section}.${name}`];
}

function isMapping(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
