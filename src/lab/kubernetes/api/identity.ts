import { type Obj, objOf, textOf } from '../json.js';
import type { ResourceType } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import {
  ApiError,
  badRequest,
  conflict,
  forbidden,
  invalid,
  invalidValue,
  modified,
  notFound,
} from '../status.js';

/** An update is for the object it names, in the version it is based on. */
export function checkIdentity(
  type: ResourceType,
  old: KubeObject,
  wanted: KubeObject,
  name: string,
  patched: boolean,
): void {
  checkName({ ...wanted.metadata }, name, old.metadata.namespace);
  const { uid, resourceVersion } = wanted.metadata;
  if (patched) checkUid(type, old, wanted);
  else if (uid && uid !== old.metadata.uid) {
    const why = `StorageError: invalid object, Code: 4, Key: ${registryKey(type, old)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`;
    throw conflict(type, name, why);
  }
  if (!resourceVersion && type.rules.conditionalUpdate) {
    // Told of the resource, not of the kind.
    throw invalid(type.group, type.plural, name, [
      invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (resourceVersion && !/^\d+$/.test(resourceVersion)) {
    throw new ApiError(500, undefined, `strconv.ParseUint: parsing "${resourceVersion}": invalid syntax`);
  }
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) throw modified(type, name);
}

/** A patch that takes the uid away changes nothing; one that brings another is refused. */
export function checkUid(type: ResourceType, old: KubeObject, wanted: KubeObject): void {
  const { uid } = wanted.metadata;
  if (!uid || uid === old.metadata.uid) return;
  throw invalid(type.group, type.kind, old.metadata.name, [
    invalidValue('metadata.uid', uid, 'field is immutable'),
  ]);
}

export function unknownUid(type: ResourceType, name: string, uid: string): ApiError {
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(type, name, why);
}

/** Only the server says which version an object has. */
export function checkNew({ metadata }: KubeObject): void {
  if (!metadata.resourceVersion) return;
  throw new ApiError(500, undefined, 'resourceVersion should not be set on objects to be created');
}

/** Where etcd has it: some kinds are kept under older names. */
function registryKey(type: ResourceType, { metadata }: KubeObject): string {
  const folder = type.custom ? `${type.group}/${type.plural}` : (FOLDERS[type.plural] ?? type.plural);
  const place = metadata.namespace === undefined ? '' : `${metadata.namespace}/`;
  return `/registry/${folder}/${place}${metadata.name}`;
}

const FOLDERS: Readonly<Record<string, string>> = {
  nodes: 'minions',
  services: 'services/specs',
  endpoints: 'services/endpoints',
  replicationcontrollers: 'controllers',
  ingresses: 'ingress',
  customresourcedefinitions: 'apiextensions.k8s.io/customresourcedefinitions',
};

/** What a client puts must say its own name. */
export function unnamed(name: string): ApiError {
  return badRequest(
    `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
  );
}

/** Name and namespace of a body are those of its path. */
export function checkName(metadata: Obj, name: string, namespace: string | undefined): void {
  const given = textOf(metadata.name);
  if (given !== '' && given !== name) {
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  }
  const space = textOf(metadata.namespace);
  if (space !== '' && namespace !== undefined && space !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
}

/** New objects need a namespace that is there and stays. */
export function checkNamespace(
  found: KubeObject | undefined,
  type: ResourceType,
  namespace: string,
  name: string,
): void {
  if (!found) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (objOf(found.status).phase !== 'Terminating') return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(type, name, why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}
