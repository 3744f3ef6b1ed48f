import { shaped } from './body.js';
import type { Request } from './connection.js';
import { ifThere, type JsonRequest, label } from './json-request.js';
import { type KubernetesObject, pathOf, type Resource } from './resources.js';
import { type ApplyOptions, FIELD_MANAGER, type KubernetesClient, type PatchKind } from './types.js';
import { withoutObject } from './without-object.js';

type WriteCalls = Pick<KubernetesClient, 'create' | 'apply' | 'patch' | 'delete'>;

const PATCH_TYPES: Record<PatchKind, string> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};

export function writeCalls(json: JsonRequest, resourceOf: KubernetesClient['resourceOf']): WriteCalls {
  return {
    async create<T>(resource: Resource<T>, object: T, namespace?: string) {
      const path = `${pathOf(resource, namespace)}?fieldManager=${FIELD_MANAGER}&fieldValidation=Strict`;
      const body = JSON.stringify(object);
      const what = `creating ${resource.kind}`;
      const request: Request = { method: 'POST', path, body, repeatable: false };
      return shaped<T>(await withoutObject(object, () => json(request, what)));
    },
    async apply<T extends KubernetesObject>(object: T, applyOptions: ApplyOptions = {}) {
      const resource = await resourceOf(object.apiVersion, object.kind);
      const query = new URLSearchParams({
        fieldManager: applyOptions.fieldManager ?? FIELD_MANAGER,
        force: String(applyOptions.force ?? false),
        fieldValidation: 'Strict',
        ...(applyOptions.dryRun ? { dryRun: 'All' } : {}),
      });
      const { name, namespace } = object.metadata;
      const path = `${pathOf(resource, namespace ?? (resource.namespaced ? 'default' : undefined), name)}?${query}`;
      const request: Request = {
        method: 'PATCH',
        path,
        // JSON is YAML; written by us it has no surprises of YAML 1.1.
        body: JSON.stringify(object),
        contentType: 'application/apply-patch+yaml',
        repeatable: true,
      };
      return shaped<T>(await withoutObject(object, () => json(request, `applying ${label(resource, name)}`)));
    },
    async patch<T>(
      resource: Resource<T>,
      name: string,
      patch: unknown,
      { kind, namespace, subresource }: { kind: PatchKind; namespace?: string; subresource?: 'status' },
    ) {
      const place = `${pathOf(resource, namespace, name)}${subresource ? `/${subresource}` : ''}`;
      const request: Request = {
        method: 'PATCH',
        path: `${place}?fieldManager=${FIELD_MANAGER}`,
        body: JSON.stringify(patch),
        contentType: PATCH_TYPES[kind],
        // A merge says how it should be; a JSON patch may add to a list twice.
        repeatable: kind !== 'json',
      };
      return shaped<T>(await json(request, `changing ${label(resource, name)}`));
    },
    async delete(resource, name, deleteOptions = {}) {
      const body = JSON.stringify({
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy: deleteOptions.propagation ?? 'Background',
        ...(deleteOptions.gracePeriodSeconds === undefined
          ? {}
          : { gracePeriodSeconds: deleteOptions.gracePeriodSeconds }),
        ...(deleteOptions.uid === undefined ? {} : { preconditions: { uid: deleteOptions.uid } }),
      });
      const path = pathOf(resource, deleteOptions.namespace, name);
      const what = `deleting ${label(resource, name)}`;
      return (await ifThere(json({ method: 'DELETE', path, body, repeatable: true }, what))) !== undefined;
    },
  };
}
