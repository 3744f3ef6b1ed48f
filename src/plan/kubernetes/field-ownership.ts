/**
 * Fields of an applied object that are not ours any more. Server-side apply keeps who owns each field, and whoever
 * changes or removes one takes it from us. This compares owners, not values alone: the server writes many values in its
 * own way. What is written through a subresource (an autoscaler's replicas) is no one's mistake.
 */
import { isMapping, type Mapping } from '../../formats/text/mapping.js';

interface TakenField {
  /** `spec.template.spec.containers[web].image` */
  readonly path: string;
  /** Field manager, such as `kubectl-edit`; absent: the field is gone. */
  readonly by?: string;
}

interface Owner {
  readonly name: string;
  readonly fields: Mapping | undefined;
}

/** Fields that no one owns, or that are written and not kept. */
const UNOWNED = new Set(['apiVersion', 'kind', 'metadata.name', 'metadata.namespace', 'stringData']);

export function takenFields(wanted: unknown, live: unknown, manager: string): TakenField[] {
  const entries = entriesOf(live);
  const ours = entries.find(({ name, applies }) => name === manager && applies);
  if (!ours) return [];
  const others = entries.filter((entry) => entry !== ours && !entry.subresource);
  return walk(wanted, live, ours.fields, others, '');
}

function walk(
  wanted: unknown,
  live: unknown,
  ours: Mapping | undefined,
  others: readonly Owner[],
  path: string,
): TakenField[] {
  return childrenOf(wanted, live, ours).flatMap(({ key, name, value, now }) => {
    const at = path + (path === '' ? name.replace(/^\./, '') : name);
    if (UNOWNED.has(at)) return [];
    const owned = ours?.[key];
    const below = others.map((other) => ({ name: other.name, fields: fieldsAt(other.fields, key) }));
    const owners = below.filter(({ fields }) => fields !== undefined);
    if (isMapping(owned) && Object.keys(owned).length > 0) return walk(value, now, owned, owners, at);
    if (isEmpty(value) || JSON.stringify(value) === JSON.stringify(now)) return [];
    // A section of which others own parts; where we own all of it as one, they own none.
    if (isMapping(value) && isMapping(now) && owners.length > 0)
      return walk(value, now, undefined, owners, at);
    if (owned !== undefined) return [];
    // What is below a section that we own no part of was never ours to lose.
    if (now === undefined) return ours ? [{ path: at }] : [];
    return owners.length > 0 ? [{ path: at, by: owners.map((owner) => owner.name).join(', ') }] : [];
  });
}

interface Child {
  /** As `fieldsV1` names it: `f:replicas`, `k:{"name":"web"}`. */
  readonly key: string;
  /** As people write it. */
  readonly name: string;
  readonly value: unknown;
  readonly now: unknown;
}

function childrenOf(wanted: unknown, live: unknown, ours: Mapping | undefined): Child[] {
  if (isMapping(wanted)) {
    const has = isMapping(live) ? live : {};
    return Object.entries(wanted).map(([key, value]) => ({
      key: `f:${key}`,
      name: `.${key}`,
      value,
      now: has[key],
    }));
  }
  if (!Array.isArray(wanted)) return [];
  // Items of a list that has keys; of any other list the whole is owned.
  return Object.keys(ours ?? {}).flatMap((key) => {
    const match = key.startsWith('k:') ? parsed(key.slice(2)) : undefined;
    if (!match) return [];
    const find = (list: unknown): unknown =>
      Array.isArray(list)
        ? list.find(
            (item: unknown) =>
              isMapping(item) && Object.entries(match).every(([field, value]) => item[field] === value),
          )
        : undefined;
    return [{ key, name: `[${Object.values(match).join(',')}]`, value: find(wanted), now: find(live) }];
  });
}

function fieldsAt(fields: Mapping | undefined, key: string): Mapping | undefined {
  const below = fields?.[key];
  return isMapping(below) ? below : undefined;
}

/** The server may well leave these out. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function parsed(text: string): Mapping | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isMapping(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function entriesOf(live: unknown): (Owner & { readonly applies: boolean; readonly subresource: boolean })[] {
  const metadata = isMapping(live) && isMapping(live.metadata) ? live.metadata : {};
  const entries: unknown[] = Array.isArray(metadata.managedFields) ? metadata.managedFields : [];
  return entries.filter(isMapping).map((entry) => ({
    name: String(entry.manager ?? ''),
    fields: isMapping(entry.fieldsV1) ? entry.fieldsV1 : undefined,
    applies: entry.operation === 'Apply',
    subresource: typeof entry.subresource === 'string' && entry.subresource !== '',
  }));
}
