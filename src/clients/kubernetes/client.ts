import { Connection, type Sender } from './connection.js';
import { discoverResource, listableResources } from './discovery.js';
import { type JsonRequest, jsonRequests, label } from './json-request.js';
import { podCalls } from './pod-calls.js';
import { readCalls } from './read-calls.js';
import { KNOWN_RESOURCES, type Resource } from './resources.js';
import { servingUntil } from './serving-certificate.js';
import type { KubernetesClient, KubernetesClientOptions, KubernetesConnection } from './types.js';
import { waitUntil } from './wait-until.js';
import { writeCalls } from './write-calls.js';

export type { KubernetesClient, KubernetesClientOptions, KubernetesConnection } from './types.js';

export function connectKubernetes(options: KubernetesClientOptions): KubernetesConnection {
  const connection = new Connection(options);
  return {
    ...clientOver(connection, options),
    behind: (gate) => clientOver(connection.behind(gate), options),
  };
}

function clientOver(connection: Sender, options: KubernetesClientOptions): KubernetesClient {
  const { clock } = options;
  const json = jsonRequests(connection);
  const resourceOf = resourceFinder(json);
  const reads = readCalls(connection, json, clock);
  return {
    ...reads,
    ...writeCalls(json, resourceOf),
    ...podCalls(connection, json),
    resourceOf,
    resources: () => listableResources((request) => json(request, 'discovering resources')),
    servingUntil: (endpoint) => servingUntil(options, endpoint),
    waitFor: (resource, name, namespace, check, waitOptions) =>
      waitUntil(
        clock,
        () => reads.get(resource, name, namespace),
        check,
        { what: label(resource, name), where: connection.endpoints[0] ?? '' },
        waitOptions,
      ),
    close: () => connection.close(),
  };
}

/** Kinds that oxherd does not know are asked for once. */
function resourceFinder(json: JsonRequest): KubernetesClient['resourceOf'] {
  const discovered = new Map<string, Resource<unknown>>();
  return async (apiVersion, kind) => {
    const known =
      KNOWN_RESOURCES.find((item) => item.apiVersion === apiVersion && item.kind === kind) ??
      discovered.get(`${apiVersion} ${kind}`);
    if (known) return known;
    const found = await discoverResource((request) => json(request, `discovering ${kind}`), apiVersion, kind);
    discovered.set(`${apiVersion} ${kind}`, found);
    return found;
  };
}
