/** A client that notes what is asked of the API, as rules of RBAC name it: `namespace group/resource verb`. */
import type { KubernetesConnection, Resource } from '../../../src/clients/kubernetes/index.js';

export function recordedClient(client: KubernetesConnection, asked: Set<string>): KubernetesConnection {
  const note = (
    { apiVersion, plural, namespaced }: Resource<unknown>,
    verb: string,
    namespace: string | undefined,
    subresource?: string,
  ) => {
    const group = apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
    const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
    asked.add(rightOf({ namespace: namespaced ? (namespace ?? '*') : '', group, resource, verb }));
  };
  return {
    ...client,
    get: (resource, name, namespace, ...rest) => {
      note(resource, 'get', namespace);
      return client.get(resource, name, namespace, ...rest);
    },
    list: (resource, options) => {
      note(resource, 'list', options?.namespace);
      return client.list(resource, options);
    },
    watch: (resource, options) => {
      note(resource, 'list', options?.namespace);
      note(resource, 'watch', options?.namespace);
      return client.watch(resource, options);
    },
    create: (resource, object, namespace) => {
      note(resource, 'create', namespace);
      return client.create(resource, object, namespace);
    },
    patch: (resource, name, patch, options) => {
      note(resource, 'patch', options.namespace, options.subresource);
      return client.patch(resource, name, patch, options);
    },
    delete: (resource, name, options) => {
      note(resource, 'delete', options?.namespace);
      return client.delete(resource, name, options);
    },
    apply: () => Promise.reject(new Error('the controller applies nothing')),
  };
}

interface Right {
  /** '': of the whole cluster. */
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly verb: string;
}

export function rightOf({ namespace, group, resource, verb }: Right): string {
  return `${namespace} ${group}/${resource} ${verb}`;
}
