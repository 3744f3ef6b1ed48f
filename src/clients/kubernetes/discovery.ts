import { z } from 'zod';
import { once } from '../../model/memoize.js';
import type { Request } from './connection.js';
import { KubernetesError } from './errors.js';
import type { Resource } from './resources.js';

const resourceList = once(() =>
  z.object({
    resources: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        namespaced: z.boolean(),
        verbs: z.array(z.string()).default([]),
      }),
    ),
  }),
);
const groupList = once(() =>
  z.object({
    groups: z.array(z.object({ preferredVersion: z.object({ groupVersion: z.string() }) })),
  }),
);

/** Every resource that can be listed, in the version that the server prefers. */
export async function listableResources(
  send: (request: Request) => Promise<unknown>,
): Promise<Resource<unknown>[]> {
  const { groups } = groupList().parse(await send({ method: 'GET', path: '/apis', repeatable: true }));
  const versions = ['v1', ...groups.map(({ preferredVersion }) => preferredVersion.groupVersion)];
  const found = await Promise.all(
    versions.map(async (apiVersion) => {
      const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
      const { resources } = resourceList().parse(await send({ method: 'GET', path, repeatable: true }));
      return resources
        .filter(({ name, verbs }) => !name.includes('/') && verbs.includes('list'))
        .map(({ name, kind, namespaced }) => ({ apiVersion, kind, plural: name, namespaced }));
    }),
  );
  return found.flat();
}

/** Finds the resource of a kind in the server's own list: for custom kinds and whatever we have no table for. */
export async function discoverResource(
  send: (request: Request) => Promise<unknown>,
  apiVersion: string,
  kind: string,
): Promise<Resource<unknown>> {
  const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources } = resourceList().parse(await send({ method: 'GET', path, repeatable: true }));
  const found = resources.find((resource) => resource.kind === kind && !resource.name.includes('/'));
  if (!found) {
    throw new KubernetesError('kubernetes.not-found', `the cluster has no kind ${kind} in ${apiVersion}`, {
      advice: 'Its CustomResourceDefinition must be there first.',
    });
  }
  return { apiVersion, kind, plural: found.name, namespaced: found.namespaced };
}
