import { isObj, objOf, textOf } from '../json.js';
import { apiVersionOf, resourceKey } from '../kinds/resource-type.js';
import type { Controller, World } from './world.js';

/**
 * Talos creates what is missing of the manifests it is given, once, and leaves alone what is there. What the API
 * refuses is Talos's to report; it goes on with the others.
 */
export function manifestController(given: unknown[]): Controller {
  return {
    reconcile(world) {
      for (const body of given.splice(0)) createIfMissing(world, body);
      return undefined;
    },
  };
}

function createIfMissing(world: World, body: unknown): void {
  if (!isObj(body)) return;
  const { apiVersion, kind } = body;
  const type = world.objects.types().find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  if (!type) return;
  const metadata = objOf(body.metadata);
  const namespace = type.namespaced ? textOf(metadata.namespace) || 'default' : undefined;
  const resource = resourceKey(type);
  if (!world.find(resource, namespace, textOf(metadata.name)))
    world.create(resource, namespace, body, 'talos');
}
