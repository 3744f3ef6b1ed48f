import { z } from 'zod';
import type { Request } from './connection.js';
import { KubernetesError } from './errors.js';
import type { Resource } from './resources.js';

const resourceList = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })),
});

/** Finds the resource of a kind in the server's own list: for custom kinds and whatever we have no table for. */
export async function discoverResource(
  send: (request: Request) => Promise<unknown>,
  apiVersion: string,
  kind: string,
): Promise<Resource<unknown>> {
  const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources } = resourceList.parse(await send({ method: 'GET', path, repeatable: true }));
  const found = resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
  if (!found) {
    throw new KubernetesError('kubernetes.not-found', `the cluster has no kind ${kind} in ${apiVersion}`, {
      advice: 'Its CustomResourceDefinition must be there first.',
    });
  }
  return { apiVersion, kind, plural: found.name, namespaced: found.namespaced };
}
