import { isObj, type Obj, objOf, sameJson } from '../json.js';
import { apiVersionOf, type ResourceType } from '../kinds/resource-type.js';
import type { KubeObject, ManagedFieldsEntry } from '../object.js';
import type { Schema } from '../schema/schema.js';
import { ApiError } from '../status.js';
import { applyMerge, prune } from './apply-merge.js';
import { FieldSet, pathText } from './field-set.js';
import { compareTyped, mentionedFields } from './typed-walk.js';

export interface Writer {
  readonly manager: string;
  /** The kind has a status that is written apart. */
  readonly statusApart: boolean;
  readonly apiVersion: string;
  readonly subresource: string;
  readonly time: string;
}

/** Fields that no one owns (`managedfields/internal/stripmeta.go`). */
const UNOWNED = [
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ...['name', 'namespace', 'creationTimestamp', 'uid', 'generation', 'managedFields', 'resourceVersion'].map(
    (field) => ['f:metadata', `f:${field}`],
  ),
];

function owned(set: FieldSet): FieldSet {
  const strip = new FieldSet();
  for (const path of UNOWNED) strip.insert(path);
  return set.difference(strip);
}

/** A write of the object itself owns nothing of its status, and one of the status nothing of the spec. */
function own(set: FieldSet, { subresource, statusApart }: Writer): FieldSet {
  const foreign = subresource === '' && statusApart ? 'f:status' : RESET[subresource];
  const all = owned(set);
  if (foreign === undefined || !all.children.has(foreign)) return all;
  const strip = new FieldSet();
  for (const path of all.children.get(foreign)?.paths([foreign]) ?? []) strip.insert(path);
  return all.difference(strip);
}

const RESET: Readonly<Record<string, string>> = { status: 'f:spec', approval: 'f:spec' };

interface Manager {
  readonly entry: ManagedFieldsEntry;
  readonly set: FieldSet;
}

function managersOf(entries: readonly ManagedFieldsEntry[] | undefined): Manager[] {
  return (entries ?? []).map((entry) => ({ entry, set: FieldSet.parse(objOf(entry.fieldsV1)) }));
}

function isEntry(entry: ManagedFieldsEntry, operation: string, writer: Writer): boolean {
  return (
    entry.manager === writer.manager &&
    entry.operation === operation &&
    // An applier is the same in every version.
    (operation === 'Apply' || entry.apiVersion === writer.apiVersion) &&
    (entry.subresource ?? '') === writer.subresource
  );
}

/** The time of an entry moves only when its fields do; `timed`: whether the write has one. */
function withSet(
  known: Manager | undefined,
  operation: 'Apply' | 'Update',
  set: FieldSet,
  writer: Writer,
  timed = true,
): Manager {
  if (known?.set.equals(set) && known.entry.apiVersion === writer.apiVersion) return known;
  const time = timed ? writer.time : known?.entry.time;
  const entry: ManagedFieldsEntry = {
    manager: writer.manager,
    operation,
    apiVersion: writer.apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: set.toJson(),
    ...(writer.subresource === '' ? {} : { subresource: writer.subresource }),
  };
  return { entry, set };
}

function without(manager: Manager, gone: FieldSet): Manager {
  const set = manager.set.difference(gone);
  return set.equals(manager.set) ? manager : { entry: { ...manager.entry, fieldsV1: set.toJson() }, set };
}

/** One order for one set of entries: a write that changes nothing must not look like a change. */
function entriesOf(managers: readonly Manager[]): ManagedFieldsEntry[] {
  const rank = ({ operation, time = '', manager, subresource = '' }: ManagedFieldsEntry) =>
    [operation, time, manager, subresource].join(' ');
  return managers
    .filter(({ set }) => !set.empty)
    .map(({ entry }) => entry)
    .sort((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

function plain(object: Obj): Obj {
  if (!isObj(object.metadata)) return object;
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Who owns what after an ordinary write: what changed belongs to the writer, and to no one else. */
export function ownershipAfterUpdate(
  entries: readonly ManagedFieldsEntry[] | undefined,
  before: Obj,
  after: Obj,
  schema: Schema,
  writer: Writer,
): ManagedFieldsEntry[] {
  const { added, modified, removed } = compareTyped(plain(before), plain(after), schema);
  const changed = own(added.union(modified), writer);
  const managers = managersOf(entries);
  const mine = managers.find(({ entry }) => isEntry(entry, 'Update', writer));
  const others = managers
    .filter((manager) => manager !== mine)
    .map((manager) => without(manager, changed.union(removed)));
  const set = (mine?.set ?? new FieldSet()).difference(removed).union(changed);
  return entriesOf([...others, withSet(mine, 'Update', set, writer, writer.subresource !== 'scale')]);
}

/** An empty list, or one empty entry, takes all ownership away (`managedfields/internal/managedfields.go`). */
export function resetsOwnership(entries: readonly ManagedFieldsEntry[]): boolean {
  const [first] = entries;
  return first === undefined || (entries.length === 1 && Object.keys(first).length === 0);
}

/** Whoever wrote an object that has no owners owns all of it when it is first applied. */
export function beforeFirstApply(
  live: KubeObject,
  { schema, ...type }: Pick<ResourceType, 'schema' | 'group' | 'version'>,
): ManagedFieldsEntry[] {
  const set = owned(mentionedFields(plain(live), schema));
  return [
    {
      manager: 'before-first-apply',
      operation: 'Update',
      apiVersion: apiVersionOf(type),
      fieldsType: 'FieldsV1',
      fieldsV1: set.toJson(),
    },
  ];
}

interface Applied {
  readonly object: Obj;
  /** Called with the object as it is stored, after defaults and admission. */
  readonly ownership: (stored: KubeObject) => ManagedFieldsEntry[];
}

/** Server-side apply: merge, find conflicts, drop what is not mentioned any more. */
export function applyConfiguration(
  entries: readonly ManagedFieldsEntry[] | undefined,
  live: Obj,
  configuration: Obj,
  schema: Schema,
  writer: Writer,
  force: boolean,
): Applied {
  const managers = managersOf(entries);
  const mine = managers.find(({ entry }) => isEntry(entry, 'Apply', writer));
  const others = managers.filter((manager) => manager !== mine);
  const mentioned = own(mentionedFields(plain(configuration), schema), writer);
  const merged = applyMerge(plain(live), configuration, schema);
  const { added, modified } = compareTyped(plain(live), merged, schema);
  const changed = own(added.union(modified), writer);
  const conflicts = others
    .map((manager) => ({ manager, fields: manager.set.intersection(changed) }))
    .filter(({ fields }) => !fields.empty);
  if (conflicts.length > 0 && !force) throw conflictError(conflicts);

  const othersOwn = others.reduce((all, { set }) => all.union(set), new FieldSet());
  const pruned = mine ? prune(merged, mine.set, mentioned, othersOwn, schema) : merged;
  return {
    object: isObj(pruned) ? pruned : {},
    ownership: (stored) => {
      const { removed } = compareTyped(plain(live), plain(stored), schema);
      const left = others.map((manager) => without(manager, changed.union(removed)));
      // Who applies what is there already gets no time for it (`managedfields/internal/managedfieldsupdater.go`).
      const timed = !sameJson(plain(live), merged) || !sameJson(merged, pruned);
      const seen = timed && writer.subresource !== 'scale';
      return entriesOf([...left, withSet(mine, 'Apply', mentioned, writer, seen)]);
    },
  };
}

function conflictError(conflicts: readonly { manager: Manager; fields: FieldSet }[]): ApiError {
  const named = conflicts
    .map(({ manager, fields }) => ({
      who: whoOf(manager.entry),
      fields: inOrder(fields.paths()).map(pathText),
    }))
    .sort((a, b) => (a.who < b.who ? -1 : 1));
  const count = named.reduce((sum, { fields }) => sum + fields.length, 0);
  const parts = named.map(({ who, fields }) =>
    fields.length === 1
      ? `conflict with ${who}: ${fields[0]}`
      : `conflicts with ${who}:\n${fields.map((field) => `- ${field}`).join('\n')}`,
  );
  const message = `Apply failed with ${count} conflict${count === 1 ? '' : 's'}: ${parts.join('\n')}`;
  return new ApiError(409, 'Conflict', message, {
    causes: named.flatMap(({ who, fields }) =>
      fields.map((field) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field })),
    ),
  });
}

/** What a level owns itself comes before what lies deeper (`fieldpath.Set.Iterate`). */
function inOrder(paths: readonly (readonly string[])[]): (readonly string[])[] {
  return [...paths].sort((a, b) => {
    const apart = a.findIndex((step, index) => step !== b[index]);
    if (apart === -1 || b[apart] === undefined) return apart === -1 ? -1 : 1;
    return Number(b.length === apart + 1) - Number(a.length === apart + 1);
  });
}

/** An updater is named with the version it wrote, an applier is the same in every version. */
function whoOf({ manager, operation, subresource, apiVersion }: ManagedFieldsEntry): string {
  const who = `"${manager}"${subresource ? ` with subresource "${subresource}"` : ''}`;
  return operation === 'Apply' ? who : `${who} using ${apiVersion}`;
}
