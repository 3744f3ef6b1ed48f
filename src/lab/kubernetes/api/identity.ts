import { type Obj, objOf, textOf } from '../json.js';
import type { ResourceType } from '../kinds/resource-type.js';
import type { KubeObject } from '../object.js';
import {
  type ApiError,
  badRequest,
  forbidden,
  invalid,
  invalidValue,
  modified,
  notFound,
  preconditionFailed,
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
  if (patched && uid !== old.metadata.uid) {
    throw invalid(type.group, type.kind, name, [
      invalidValue('metadata.uid', uid ?? '', 'field is immutable'),
    ]);
  }
  if (uid && uid !== old.metadata.uid) {
    const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`;
    throw preconditionFailed(type, name, why);
  }
  if (!resourceVersion && type.rules.conditionalUpdate) {
    // Told of the resource, not of the kind.
    throw invalid(type.group, type.plural, name, [
      invalidValue('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (resourceVersion && resourceVersion !== old.metadata.resourceVersion) throw modified(type, name);
}

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
