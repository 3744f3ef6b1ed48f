import { readLimited } from '../read-limited.js';
import { listAt, objectAt, parsed, shaped, textAt } from './body.js';
import { Connection, type Request, type Sender } from './connection.js';
import { discoverResource } from './discovery.js';
import { errorFromAnswer, isKubernetesError } from './errors.js';
import { KNOWN_RESOURCES, type KubernetesObject, pathOf, type Resource } from './resources.js';
import { servingUntil } from './serving-certificate.js';
import {
  type ApplyOptions,
  FIELD_MANAGER,
  type KubernetesClient,
  type KubernetesClientOptions,
  type KubernetesConnection,
  type ListOptions,
  type PatchKind,
} from './types.js';
import { waitUntil } from './wait-until.js';
import { watchResource } from './watch.js';
import { withoutObject } from './without-object.js';

export type { KubernetesClient, KubernetesClientOptions, KubernetesConnection } from './types.js';

const PATCH_TYPES: Record<PatchKind, string> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
};
const PAGE = 500;

export function connectKubernetes(options: KubernetesClientOptions): KubernetesConnection {
  const connection = new Connection(options);
  return {
    ...clientOver(connection, options),
    behind: (gate) => clientOver(connection.behind(gate), options),
  };
}

function clientOver(connection: Sender, options: KubernetesClientOptions): KubernetesClient {
  const { clock } = options;
  const discovered = new Map<string, Resource<unknown>>();

  async function json(request: Request, what: string): Promise<unknown> {
    const answer = await connection.send(request);
    const text = await readLimited(answer.body);
    const body = parsed(text);
    if (answer.status >= 300) throw errorFromAnswer(answer.status, body ?? text, answer.where, what);
    return body;
  }

  async function resourceOf(apiVersion: string, kind: string): Promise<Resource<unknown>> {
    const known =
      KNOWN_RESOURCES.find((item) => item.apiVersion === apiVersion && item.kind === kind) ??
      discovered.get(`${apiVersion} ${kind}`);
    if (known) return known;
    const found = await discoverResource((request) => json(request, `discovering ${kind}`), apiVersion, kind);
    discovered.set(`${apiVersion} ${kind}`, found);
    return found;
  }

  const client: KubernetesClient = {
    resourceOf,
    async ready(endpoint) {
      const request: Request = { method: 'GET', path: '/readyz', repeatable: true };
      try {
        const answer = await (endpoint ? connection.sendTo(endpoint, request) : connection.send(request));
        await answer.body.dump();
        return answer.status === 200;
      } catch {
        return false;
      }
    },
    servingUntil: (endpoint) => servingUntil(options, endpoint),
    async version() {
      const body = await json({ method: 'GET', path: '/version', repeatable: true }, 'reading the version');
      return textAt(body, 'gitVersion');
    },
    async get<T>(resource: Resource<T>, name: string, namespace?: string) {
      const path = pathOf(resource, namespace, name);
      const what = `reading ${label(resource, name)}`;
      const found = await ifThere(json({ method: 'GET', path, repeatable: true }, what));
      return found && shaped<T>(found.body);
    },
    async list<T>(resource: Resource<T>, listOptions: ListOptions = {}) {
      const { items } = await listAll<T>(resource, listOptions);
      return items;
    },
    watch: <T>(resource: Resource<T>, watchOptions: ListOptions & { signal?: AbortSignal } = {}) =>
      watchResource<T>({
        clock,
        list: () => listAll<T>(resource, watchOptions),
        open: (resourceVersion) => {
          const query = selectors(watchOptions);
          query.set('watch', 'true');
          query.set('allowWatchBookmarks', 'true');
          query.set('resourceVersion', resourceVersion);
          const { signal } = watchOptions;
          const path = `${pathOf(resource, watchOptions.namespace)}?${query}`;
          return connection.send({
            method: 'GET',
            path,
            repeatable: true,
            stream: true,
            ...(signal && { signal }),
          });
        },
        what: `watching ${resource.plural}`,
        ...(watchOptions.signal ? { signal: watchOptions.signal } : {}),
      }),
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
    async evict(name, namespace, evictOptions = {}) {
      const { gracePeriodSeconds } = evictOptions;
      const body = JSON.stringify({
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name, namespace },
        ...(gracePeriodSeconds === undefined ? {} : { deleteOptions: { gracePeriodSeconds } }),
      });
      const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}/eviction`;
      const what = `evicting pod ${namespace}/${name}`;
      return (await ifThere(json({ method: 'POST', path, body, repeatable: true }, what))) !== undefined;
    },
    async logs(pod, namespace, logOptions = {}) {
      const query = new URLSearchParams({
        ...(logOptions.container ? { container: logOptions.container } : {}),
        ...(logOptions.tailLines === undefined ? {} : { tailLines: String(logOptions.tailLines) }),
      });
      const place = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(pod)}/log`;
      const answer = await connection.send({
        method: 'GET',
        path: `${place}?${query}`,
        accept: '*/*',
        repeatable: true,
      });
      const text = await readLimited(answer.body);
      if (answer.status < 300) return text;
      throw errorFromAnswer(
        answer.status,
        parsed(text) ?? text,
        answer.where,
        `reading the log of ${namespace}/${pod}`,
      );
    },
    waitFor: (resource, name, namespace, check, waitOptions) =>
      waitUntil(
        clock,
        () => client.get(resource, name, namespace),
        check,
        { what: label(resource, name), where: connection.endpoints[0] ?? '' },
        waitOptions,
      ),
    close: () => connection.close(),
  };
  return client;

  async function listAll<T>(
    resource: Resource<T>,
    listOptions: ListOptions,
  ): Promise<{ items: T[]; resourceVersion: string }> {
    const items: T[] = [];
    let next = '';
    let resourceVersion = '';
    do {
      const query = selectors(listOptions);
      query.set('limit', String(PAGE));
      if (next !== '') query.set('continue', next);
      const path = `${pathOf(resource, listOptions.namespace)}?${query}`;
      const body = await json({ method: 'GET', path, repeatable: true }, `listing ${resource.plural}`);
      for (const item of listAt(body, 'items')) {
        // Items of a list go without the kind that all of them have.
        items.push(shaped<T>({ apiVersion: resource.apiVersion, kind: resource.kind, ...objectAt(item) }));
      }
      resourceVersion = textAt(objectAt(body).metadata, 'resourceVersion');
      next = textAt(objectAt(body).metadata, 'continue');
    } while (next !== '');
    return { items, resourceVersion };
  }
}

function selectors({ labelSelector, fieldSelector }: ListOptions): URLSearchParams {
  return new URLSearchParams({
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
  });
}

function label(resource: Resource<unknown>, name: string): string {
  return `${resource.kind} ${name}`;
}

/** The answer; `undefined`: there is no such object. */
async function ifThere(work: Promise<unknown>): Promise<{ readonly body: unknown } | undefined> {
  try {
    return { body: await work };
  } catch (error) {
    if (isKubernetesError(error, 'kubernetes.not-found')) return undefined;
    throw error;
  }
}
