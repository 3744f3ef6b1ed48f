import type { Clock } from '../../model/clock.js';
import { listAt, objectAt, shaped, textAt } from './body.js';
import type { Request, Sender } from './connection.js';
import { ifThere, type JsonRequest, label } from './json-request.js';
import { pathOf, type Resource } from './resources.js';
import type { KubernetesClient, ListOptions, WatchOptions } from './types.js';
import { watchResource } from './watch.js';

type ReadCalls = Pick<KubernetesClient, 'ready' | 'version' | 'get' | 'list' | 'watch'>;

const PAGE = 500;

export function readCalls(connection: Sender, json: JsonRequest, clock: Clock): ReadCalls {
  return {
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
      const { items } = await listAll<T>(json, resource, listOptions);
      return items;
    },
    watch: <T>(resource: Resource<T>, watchOptions: WatchOptions = {}) =>
      watchResource<T>({
        clock,
        list: () => listAll<T>(json, resource, watchOptions),
        open: (resourceVersion) => {
          const query = selectors(watchOptions);
          query.set('watch', 'true');
          query.set('allowWatchBookmarks', 'true');
          query.set('resourceVersion', resourceVersion);
          const { timeoutSeconds } = watchOptions;
          if (timeoutSeconds !== undefined) query.set('timeoutSeconds', String(timeoutSeconds));
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
        ...(watchOptions.silenceMs === undefined ? {} : { silenceMs: watchOptions.silenceMs }),
      }),
  };
}

async function listAll<T>(
  json: JsonRequest,
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

function selectors({ labelSelector, fieldSelector }: ListOptions): URLSearchParams {
  return new URLSearchParams({
    ...(labelSelector ? { labelSelector } : {}),
    ...(fieldSelector ? { fieldSelector } : {}),
  });
}
