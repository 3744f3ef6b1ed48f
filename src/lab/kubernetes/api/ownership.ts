import type { Obj } from '../json.js';
import { apiVersionOf, type ResourceType } from '../kinds/resource-type.js';
import { type KubeObject, type ManagedFieldsEntry, timeText } from '../object.js';
import { ownershipAfterUpdate, resetsOwnership, type Writer } from '../patch/managed-fields.js';
import { emptyObject } from './decode.js';
import type { WriteOptions } from './options.js';

/** Who writes, through which part of an object. */
export function writerOf(type: ResourceType, subresource: string, manager: string, now: number): Writer {
  return {
    manager,
    statusApart: type.subresources.some(({ name }) => name === 'status'),
    apiVersion: apiVersionOf(type),
    subresource,
    time: timeText(now),
  };
}

/** Of an object that is new. */
export function firstOwners(type: ResourceType, object: Obj, writer: Writer): ManagedFieldsEntry[] {
  return ownershipAfterUpdate([], emptyObject(type), object, type.schema, writer);
}

/** After a write; `given`: what it says itself of who owns what. */
export function nextOwners(
  type: ResourceType,
  [old, draft]: readonly [KubeObject, KubeObject],
  given: readonly ManagedFieldsEntry[] | undefined,
  writer: Writer,
  options: WriteOptions,
): ManagedFieldsEntry[] {
  if (given && resetsOwnership(given)) return [];
  const entries = given ?? old.metadata.managedFields;
  // An object that no one owns is owned again from its first apply on.
  if (!entries?.length && options.user) return [];
  return ownershipAfterUpdate(entries, old, draft, type.schema, writer);
}
