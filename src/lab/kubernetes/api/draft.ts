import type { Random } from '../../lab.js';
import { clone, type Obj, sameJson } from '../json.js';
import type { ResourceType, RuleContext } from '../kinds/resource-type.js';
import { type KubeObject, type ManagedFieldsEntry, timeText } from '../object.js';
import { badRequest } from '../status.js';
import { decodeObject } from './decode.js';
import { checkNamespace } from './identity.js';
import { internalWrite, type WriteOptions } from './options.js';

const NAMES = 'bcdfghjklmnpqrstvwxz2456789';
/** Bringing an object of our own into form again: there is nothing to complain about. */
const SILENT: WriteOptions = internalWrite('');

/** Five letters or digits as in generated names. */
export function nameSuffix(random: Random): string {
  return Array.from({ length: 5 }, () => NAMES[random.below(NAMES.length)] ?? 'b').join('');
}

/** As much of the prefix as leaves a name of 63 letters (`apiserver/pkg/storage/names`). */
const PREFIX_LIMIT = 58;

function generatedName(prefix: string, random: Random): string {
  return prefix === '' ? '' : `${prefix.slice(0, PREFIX_LIMIT)}${nameSuffix(random)}`;
}

interface Drafting extends Pick<RuleContext, 'now' | 'find'> {
  readonly random: Random;
}

/** A new object with what the server gives it: identity, time, generation. */
export function newDraft(
  { random, now, find }: Drafting,
  type: ResourceType,
  namespace: string | undefined,
  decoded: KubeObject,
): KubeObject {
  const given = decoded.metadata;
  if (type.namespaced) {
    if (given.namespace !== undefined && given.namespace !== namespace) {
      throw badRequest(
        'the namespace of the provided object does not match the namespace sent on the request',
      );
    }
    const found = find('namespaces', undefined, namespace ?? '');
    checkNamespace(found, type, namespace ?? '', given.name);
  }
  // A namespace means nothing to an object of the cluster.
  const { managedFields: _m, resourceVersion: _v, namespace: _n, ...kept } = given;
  const name = given.name || generatedName(given.generateName ?? '', random);
  const draft: KubeObject = {
    ...decoded,
    metadata: {
      ...kept,
      name,
      ...(type.namespaced && namespace !== undefined ? { namespace } : {}),
      uid: random.uuid(),
      creationTimestamp: timeText(now),
    },
  };
  for (const field of ['deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink'] as const) {
    delete draft.metadata[field];
  }
  if (type.rules.generation) draft.metadata.generation = 1;
  if (!type.rules.statusOnCreate && type.subresources.some((sub) => sub.name === 'status'))
    delete draft.status;
  // A default can depend on the name that was only now made.
  if (given.name === '') type.rules.defaults?.(draft);
  return draft;
}

/** What an update cannot change comes from the old object; a subresource changes its own part only. */
export function updatedDraft(
  context: RuleContext,
  { type, subresource }: { readonly type: ResourceType; readonly subresource: string },
  old: KubeObject,
  wanted: KubeObject,
): KubeObject {
  const fixed = pick(old.metadata, ['name', 'namespace', 'uid', 'creationTimestamp', 'generation']);
  const ending = pick(old.metadata, ['deletionTimestamp', 'deletionGracePeriodSeconds']);
  const { managedFields: _m, resourceVersion: _v, generation: _g, namespace: _n, ...given } = wanted.metadata;
  const metadata = { ...given, ...fixed, ...ending };
  const ofStatus = subresource === 'status' || subresource === 'approval';
  const draft: KubeObject = ofStatus
    ? { ...old, metadata: type.custom ? { ...old.metadata } : metadata, status: wanted.status }
    : { ...wanted, metadata };
  if (subresource === '' && !type.custom && type.subresources.some(({ name }) => name === 'status'))
    draft.status = old.status;
  if (ofStatus) type.rules.admitStatus?.(draft, old, context);
  else type.rules.admitUpdate?.(draft, old, context);
  const form = decodeObject(type, draft, SILENT);
  if (!ofStatus && type.rules.generation && !sameJson(versionedPart(type, form), versionedPart(type, old))) {
    form.metadata.generation = (old.metadata.generation ?? 0) + 1;
  }
  return form;
}

/** As it is stored, with who owns what. */
export function finished(type: ResourceType, draft: KubeObject, entries: ManagedFieldsEntry[]): KubeObject {
  const form = decodeObject(type, draft, SILENT);
  return {
    ...form,
    metadata: { ...form.metadata, ...(entries.length > 0 ? { managedFields: clone(entries) } : {}) },
  };
}

/** What `metadata.generation` counts: everything but metadata and status. */
function versionedPart({ rules }: ResourceType, object: KubeObject): Obj {
  if (rules.versioned) return rules.versioned(object);
  const { metadata, status: _s, ...rest } = object;
  return rules.annotationsCount ? { ...rest, annotations: metadata.annotations ?? {} } : rest;
}

function pick<T extends object, K extends keyof T>(value: T, fields: readonly K[]): Pick<T, K> {
  const entries = fields.filter((field) => value[field] !== undefined).map((field) => [field, value[field]]);
  return Object.fromEntries(entries);
}
