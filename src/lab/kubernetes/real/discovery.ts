import type { ObjectType } from '../controllers/cluster-objects.js';
import { at, listOf, objOf, textOf } from '../json.js';
import { resourceKey } from '../kinds/resource-type.js';
import { type ApiClient, messageOf } from './api-client.js';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** The same objects as the core group's events. */
const SECOND_NAMES = new Set(['events.events.k8s.io']);

/** Every resource whose objects can be listed and watched, each in the version its group prefers. */
export async function discover(client: ApiClient): Promise<ObjectType[]> {
  const found = new Map<string, ObjectType>();
  for (const path of ['/api', '/apis']) {
    const answer = await client.send('GET', path, { accept: AGGREGATED });
    if (answer.status !== 200) throw new Error(`discovery of ${path} failed: ${messageOf(answer)}`);
    for (const group of listOf(answer.body.items)) {
      for (const type of typesOf(group)) {
        const key = resourceKey(type);
        if (!found.has(key) && !SECOND_NAMES.has(key)) found.set(key, type);
      }
    }
  }
  return [...found.values()];
}

function typesOf(item: unknown): ObjectType[] {
  const group = textOf(at(item, 'metadata', 'name'));
  return listOf(at(item, 'versions')).flatMap((version) =>
    listOf(at(version, 'resources'))
      .map(objOf)
      .filter(({ verbs }) => listOf(verbs).includes('list') && listOf(verbs).includes('watch'))
      .map((resource) => ({
        group,
        version: textOf(at(version, 'version')),
        kind: textOf(at(resource, 'responseKind', 'kind')),
        plural: textOf(resource.resource),
        namespaced: resource.scope === 'Namespaced',
      })),
  );
}

/** `/api/v1/namespaces/x/pods`, `/apis/apps/v1/deployments`. */
export function pathOf(type: ObjectType, namespace?: string, name?: string): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const space = namespace === undefined ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${space}/${type.plural}${name === undefined ? '' : `/${encodeURIComponent(name)}`}`;
}
