import { listOf, type Obj, objOf, sameJson } from '../json.js';
import { type ResourceType, resourceKey } from '../kinds/resource-type.js';
import { type KubeObject, type ManagedFieldsEntry, timeText } from '../object.js';
import { conflict, preconditionFailed } from '../status.js';
import type { ObjectStore } from '../storage/object-store.js';
import type { DeleteOptions } from './options.js';

export interface Deletion {
  /** The object while it winds down or waits for finalizers, or its last state when it is gone. */
  readonly object: KubeObject;
  readonly gone: boolean;
}

interface Api {
  readonly objects: ObjectStore;
  readonly now: number;
}

/** `apiserver/pkg/registry/generic/registry/store.go`: at once, after a grace period, or when the finalizers are gone. */
export function deleteObject(
  api: Api,
  type: ResourceType,
  old: KubeObject,
  options: DeleteOptions,
): Deletion {
  checkPreconditions(type, old, options);
  type.rules.admitDelete?.(old);
  if (type.kind === 'Namespace' && type.group === '') return terminateNamespace(api, type, old, options);
  const grace = type.rules.gracePeriod?.(old, options.gracePeriodSeconds) ?? 0;
  const finalizers = deletionFinalizers(type, old, options);
  const terminating = old.metadata.deletionTimestamp !== undefined;
  const current = old.metadata.deletionGracePeriodSeconds ?? 0;
  if (terminating && grace >= current && current > 0) return { object: old, gone: false };
  const settled = sameJson(finalizers, old.metadata.finalizers ?? []);
  if (terminating && settled && finalizers.length > 0 && current === 0) return { object: old, gone: false };
  const marked = markedForDeletion(old, grace, finalizers, api.now);
  const gone = grace === 0 && finalizers.length === 0;
  if (options.dryRun) return { object: marked, gone };
  if (!gone) return { object: api.objects.put(resourceKey(type), marked), gone };
  api.objects.remove(resourceKey(type), old.metadata.namespace, old.metadata.name);
  // What never winds down is answered as it was.
  return { object: type.rules.gracePeriod ? marked : old, gone };
}

function checkPreconditions(type: ResourceType, old: KubeObject, options: DeleteOptions): void {
  const { name, uid, resourceVersion } = old.metadata;
  const namespace = type.kind === 'Namespace' && type.group === '';
  const failed = (field: string, asked: string, is = '') =>
    conflict(
      type,
      name,
      `Precondition failed: ${field} in precondition: ${asked}, ${field} in object meta: ${is}`,
    );
  if (options.uid !== undefined && options.uid !== uid) {
    if (namespace) throw failed('UID', options.uid, uid);
    const why = `the UID in the precondition (${options.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw preconditionFailed(type, name, why);
  }
  if (options.resourceVersion !== undefined && options.resourceVersion !== resourceVersion) {
    if (namespace) throw failed('ResourceVersion', options.resourceVersion, resourceVersion);
    const why = `the ResourceVersion in the precondition (${options.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw preconditionFailed(type, name, why);
  }
}

function deletionFinalizers(type: ResourceType, object: KubeObject, options: DeleteOptions): string[] {
  const all = object.metadata.finalizers ?? [];
  if (options.propagationPolicy === undefined) {
    const decided = all.includes('orphan') || all.includes('foregroundDeletion');
    return type.rules.orphansDependents && !decided ? [...all, 'orphan'] : all;
  }
  const own = all.filter((finalizer) => finalizer !== 'orphan' && finalizer !== 'foregroundDeletion');
  if (options.propagationPolicy === 'Orphan') return [...own, 'orphan'];
  return options.propagationPolicy === 'Foreground' ? [...own, 'foregroundDeletion'] : own;
}

function markedForDeletion(old: KubeObject, grace: number, finalizers: string[], now: number): KubeObject {
  const { generation, deletionTimestamp } = old.metadata;
  const bumped = generation !== undefined && deletionTimestamp === undefined ? generation + 1 : generation;
  return {
    ...old,
    metadata: {
      ...old.metadata,
      ...(bumped === undefined ? {} : { generation: bumped }),
      ...(finalizers.length > 0 ? { finalizers } : {}),
      deletionTimestamp: timeText(now + grace * 1000),
      deletionGracePeriodSeconds: grace,
    },
  };
}

function terminateNamespace(api: Api, type: ResourceType, old: KubeObject, options: DeleteOptions): Deletion {
  if (old.metadata.deletionTimestamp) return { object: old, gone: false };
  const marked: KubeObject = {
    ...old,
    metadata: { ...old.metadata, deletionTimestamp: timeText(api.now) },
    status: { ...objOf(old.status), phase: 'Terminating' },
  };
  return { object: options.dryRun ? marked : api.objects.put(resourceKey(type), marked), gone: false };
}

/** The namespace with the finalizers (and labels) of `wanted`; without any left, one that is going has gone. */
export function finalizeNamespace(
  api: Api,
  old: KubeObject,
  wanted: KubeObject,
  owners: (draft: KubeObject) => ManagedFieldsEntry[],
): KubeObject {
  const finalizers = listOf(objOf(wanted.spec).finalizers);
  const { finalizers: _f, ...spec }: Obj = objOf(old.spec);
  const { labels: _l, ...metadata } = old.metadata;
  const plain: KubeObject = {
    ...old,
    metadata: { ...metadata, ...(wanted.metadata.labels ? { labels: wanted.metadata.labels } : {}) },
    spec: { ...spec, ...(finalizers.length > 0 ? { finalizers } : {}) },
  };
  const entries = owners(plain);
  const draft = {
    ...plain,
    metadata: { ...plain.metadata, ...(entries.length > 0 ? { managedFields: entries } : {}) },
  };
  const ends = old.metadata.deletionTimestamp && finalizers.length === 0 && !old.metadata.finalizers?.length;
  if (!ends) return api.objects.put('namespaces', draft);
  api.objects.remove('namespaces', undefined, old.metadata.name);
  return draft;
}
