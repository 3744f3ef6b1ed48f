import { isObj, type Obj } from './json.js';

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  time?: string;
  fieldsType: 'FieldsV1';
  fieldsV1: Obj;
  subresource?: string;
}

export interface Meta {
  name: string;
  generateName?: string;
  /** No longer given by servers; a client's is dropped. */
  selfLink?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Any object of the API; the kinds' own fields are checked by their schema when they come in. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: Meta;
  [field: string]: unknown;
}

/** Gives an incoming body the three fields every object has. */
export function asObject(body: Obj, apiVersion: string, kind: string): KubeObject {
  const metadata = isObj(body.metadata) ? body.metadata : {};
  const name = typeof metadata.name === 'string' ? metadata.name : '';
  return { ...body, apiVersion, kind, metadata: { ...metadata, name } };
}

export function keyOf(namespace: string | undefined, name: string): string {
  return namespace ? `${namespace}/${name}` : name;
}

export function ref(object: KubeObject): string {
  return keyOf(object.metadata.namespace, object.metadata.name);
}

/** RFC 3339 with seconds, as `metav1.Time` is written. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** With microseconds, as leases and `metav1.MicroTime` have it. */
export function microTimeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 23)}000Z`;
}

export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

export function metadataOnly(object: KubeObject): Record<string, unknown> {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata };
}
