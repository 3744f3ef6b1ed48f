import { z } from 'zod';
import { once } from '../../model/memoize.js';
import type { Request } from './connection.js';
import { isKubernetesError, KubernetesError } from './errors.js';
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
    groups: z.array(
      z.object({
        preferredVersion: z.object({ groupVersion: z.string() }),
        versions: z.array(z.object({ groupVersion: z.string() })).default([]),
      }),
    ),
  }),
);

/**
 * Every resource that can be listed, once: in the version that the server prefers of those that have it. A version that another
 * server stands behind (a metrics server) has none while that one is down.
 */
export async function listableResources(
  send: (request: Request) => Promise<unknown>,
): Promise<Resource<unknown>[]> {
  const { groups } = groupList().parse(await send({ method: 'GET', path: '/apis', repeatable: true }));
  const ofGroups = groups.map(({ preferredVersion, versions }) =>
    [preferredVersion, ...versions].map(({ groupVersion }) => groupVersion),
  );
  const found = await Promise.all(
    [['v1'], ...ofGroups].map(async (versions) => {
      const lists = await Promise.all(
        [...new Set(versions)].map((version) =>
          listableIn(send, version).catch((error) => noneWhileDown(error, version)),
        ),
      );
      const all = lists.flat();
      return all.filter((one, at) => at === all.findIndex(({ plural }) => plural === one.plural));
    }),
  );
  return found.flat();
}

function noneWhileDown(error: unknown, apiVersion: string): [] {
  const inGroup = apiVersion.includes('/');
  if (inGroup && isKubernetesError(error, 'kubernetes.busy', 'kubernetes.not-found')) return [];
  throw error;
}

async function listableIn(
  send: (request: Request) => Promise<unknown>,
  apiVersion: string,
): Promise<Resource<unknown>[]> {
  const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources } = resourceList().parse(await send({ method: 'GET', path, repeatable: true }));
  return resources
    .filter(({ name, verbs }) => !name.includes('/') && verbs.includes('list'))
    .map(({ name, kind, namespaced }) => ({ apiVersion, kind, plural: name, namespaced }));
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
