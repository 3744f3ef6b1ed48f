import { isObj, type Obj, objOf, textOf } from '../json.js';
import { apiVersionOf, resourceKey } from '../kinds/resource-type.js';
import type { Controller, World } from './world.js';

/**
 * Talos creates what is missing of the manifests it is given, once, and leaves alone what is there. What the API
 * refuses is Talos's to report; it goes on with the others.
 */
export function manifestController(given: unknown[]): Controller {
  return {
    reconcile(world) {
      // A kind whose definition is not there yet is tried again, as Talos does.
      const left = given.splice(0).filter((body) => isObj(body) && !createIfMissing(world, body));
      given.push(...left);
      return undefined;
    },
  };
}

/** False: the API does not know the kind. */
function createIfMissing(world: World, body: Obj): boolean {
  const { apiVersion, kind } = body;
  const type = world.objects.types().find((one) => one.kind === kind && apiVersionOf(one) === apiVersion);
  if (!type) return false;
  const metadata = objOf(body.metadata);
  const namespace = type.namespaced ? textOf(metadata.namespace) || 'default' : undefined;
  const resource = resourceKey(type);
  if (!world.find(resource, namespace, textOf(metadata.name)))
    world.create(resource, namespace, body, 'talos');
  return true;
}
